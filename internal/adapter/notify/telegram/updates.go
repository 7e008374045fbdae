package telegram

import (
	"context"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/notify"
)

type update struct {
	ID       int64    `json:"update_id"`
	Message  *message `json:"message"`
	Callback *struct {
		ID      string   `json:"id"`
		From    *user    `json:"from"`
		Message *message `json:"message"`
		Data    string   `json:"data"`
	} `json:"callback_query"`
}

type message struct {
	ID   int64 `json:"message_id"`
	Date int64 `json:"date"`
	Chat struct {
		ID int64 `json:"id"`
	} `json:"chat"`
	From    *user    `json:"from"`
	Text    string   `json:"text"`
	ReplyTo *message `json:"reply_to_message"`
}

type user struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	Name     string `json:"first_name"`
}

// Updates polls for messages since an offset.
func (c *Channel) Updates(ctx context.Context, offset int64) ([]notify.Update, error) {
	in := struct {
		Offset  int64    `json:"offset,omitempty"`
		Timeout int      `json:"timeout"`
		Allowed []string `json:"allowed_updates"`
	}{offset, polling, []string{"message", "callback_query"}}
	var list []update
	if err := c.call(ctx, polling*time.Second+slack, "getUpdates", in, &list); err != nil {
		return nil, err
	}
	var out []notify.Update
	for _, u := range list {
		out = append(out, c.read(u))
	}
	return out, nil
}

// read converts an update. Only the configured chat is obeyed.
func (c *Channel) read(u update) notify.Update {
	out := notify.Update{ID: u.ID, Foreign: true}
	switch {
	case u.Callback != nil:
		cb := u.Callback
		out.Tag, out.By = cb.ID, cb.From.name()
		out.Foreign = cb.Message == nil || cb.Message.Chat.ID != c.chat
		ask, n, _ := strings.Cut(cb.Data, ":")
		out.Ask = ask
		out.Option, _ = strconv.Atoi(n) // 0 for a button that is not ours
	case u.Message != nil:
		m := u.Message
		out.By, out.At, out.Text = m.From.name(), time.Unix(m.Date, 0), m.Text
		if out.Foreign = m.Chat.ID != c.chat; !out.Foreign {
			out.Ref = m.ID
		}
		if m.ReplyTo != nil {
			out.Ask = asked(m.ReplyTo.Text)
		}
	}
	return out
}

// asked returns the id of the question in one of our messages; "" if none.
func asked(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	rest, ok := strings.CutPrefix(line, notify.Prefix+"question ")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, " ")
	return id
}

func (u *user) name() string {
	switch {
	case u == nil:
		return "telegram"
	case u.Username != "":
		return "telegram:@" + u.Username
	}
	return "telegram:" + strings.TrimSpace(u.Name)
}

// Heard confirms the press of a button.
func (c *Channel) Heard(ctx context.Context, u notify.Update, said string) {
	if u.Tag == "" {
		return
	}
	_ = c.call(ctx, sending, "answerCallbackQuery", struct { // a courtesy, and old presses cannot be answered
		ID   string `json:"callback_query_id"`
		Text string `json:"text,omitempty"`
	}{u.Tag, text.ClipRunes(said, 190)}, nil)
}
