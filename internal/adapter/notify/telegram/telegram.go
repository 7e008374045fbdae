// Package telegram carries messages to a Telegram chat and back, over the Bot API with long
// polling. It needs only five methods, so it has its own client.
//
// The API accepts no key that would identify a repeated message. But messages are numbered, and an
// edit can be repeated: editing a message to the text that it has changes nothing ("message is not
// modified"). So a message is sent once. If it is unknown whether it arrived, a marker is sent,
// whose number limits where the message can be; the message is looked for there, and if it is
// missing, the marker becomes the message. Markers that got lost on the way are found in the same
// way, and deleted. Package engine/notify queues and retries.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf16"

	"warp/internal/core/redact/wire"
	"warp/internal/core/text"
	"warp/internal/engine/notify"
)

// apiBase is the address of the Bot API.
const apiBase = "https://api.telegram.org"

// Timeouts.
const (
	sending = 30 * time.Second
	polling = 50 // seconds that a poll waits at the server
	slack   = 15 * time.Second
)

// Config configures a channel.
type Config struct {
	Base   string // "" for apiBase
	Token  string
	Chat   int64             // the only chat that is written to and obeyed
	Client http.RoundTripper // nil for its own
}

// Channel is one chat.
type Channel struct {
	base, token string
	chat        int64
	client      *http.Client
	last        mark // used by the sender only
}

// New returns a channel. It sends nothing yet.
func New(c Config) (*Channel, error) {
	switch {
	case c.Token == "":
		return nil, errors.New("there is no token of a Telegram bot: set TELEGRAM_BOT_TOKEN, or put it into the token's file")
	case strings.ContainsAny(c.Token, "/?#% \t\r\n"):
		return nil, errors.New("the token of the Telegram bot contains invalid characters")
	case c.Chat == 0:
		return nil, errors.New("the Telegram chat is missing: warp rdb on --chat NUMBER")
	}
	if c.Base == "" {
		c.Base = apiBase
	}
	if !wire.MayCarrySecrets(c.Base) {
		return nil, errors.New("the address of Telegram's API must begin with https://, as the token is sent there: check TELEGRAM_API_BASE")
	}
	if c.Client == nil {
		c.Client = http.DefaultTransport.(*http.Transport).Clone()
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the URL contains the token
	return &Channel{strings.TrimSuffix(c.Base, "/"), c.Token, c.Chat, &http.Client{Transport: c.Client, CheckRedirect: noRedirect}, mark{}}, nil
}

// Name returns the channel's name in the outbox.
func (c *Channel) Name() string { return "telegram" }

// Close closes idle connections.
func (c *Channel) Close() error { c.client.CloseIdleConnections(); return nil }

// Bot returns the bot's name, which shows that the token is valid.
func (c *Channel) Bot(ctx context.Context) (string, error) {
	var me struct {
		Username string `json:"username"`
	}
	err := c.call(ctx, sending, "getMe", struct{}{}, &me)
	return me.Username, err
}

type outgoing struct {
	Chat    int64    `json:"chat_id"`
	Message int64    `json:"message_id,omitempty"`
	Text    string   `json:"text"`
	Preview preview  `json:"link_preview_options"`
	Silent  bool     `json:"disable_notification,omitempty"`
	Buttons *buttons `json:"reply_markup,omitempty"`
}

type preview struct {
	Disabled bool `json:"is_disabled"`
}

type buttons struct {
	Rows [][]button `json:"inline_keyboard"`
}

type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

// Send sends a letter unless it has already arrived.
func (c *Channel) Send(ctx context.Context, l notify.Letter) (int64, error) {
	out := outgoing{Chat: c.chat, Text: clipMessage(strings.TrimSpace(l.Text)), Preview: preview{true}, Silent: l.Urgency() < notify.High}
	for n, o := range l.Options {
		if out.Buttons == nil {
			out.Buttons = &buttons{}
		}
		out.Buttons.Rows = append(out.Buttons.Rows, []button{{text.ClipRunes(o, maxButton), fmt.Sprintf("%s:%d", l.Ask, n+1)}})
	}
	if l.Tries <= 1 || l.Floor == 0 {
		return c.post(ctx, out)
	}
	if l.Tries == 2 { // no marker was sent yet: the message is most likely right after the floor
		if id, err := c.findNear(ctx, out, l.Floor); err != nil || id > 0 {
			return id, err
		}
	}
	return c.ensureSentOnce(ctx, out, l.Floor)
}

func (c *Channel) post(ctx context.Context, out outgoing) (int64, error) {
	var sent struct {
		ID int64 `json:"message_id"`
	}
	err := c.call(ctx, sending, "sendMessage", out, &sent)
	return sent.ID, makePermanent(err)
}

// makePermanent turns a refusal of the API into a permanent error.
func makePermanent(err error) error {
	var r *refusal
	if errors.As(err, &r) {
		return &notify.Refused{Why: r.words}
	}
	return err
}

// findNear looks for a message at the first numbers after a floor; 0 if it is not there.
func (c *Channel) findNear(ctx context.Context, out outgoing, floor int64) (int64, error) {
	for id := floor + 1; id <= floor+3; id++ {
		if is, err := c.editTo(ctx, out, id); err != nil || is {
			return id, err
		}
	}
	return 0, nil
}

// window is how many numbers are searched for a message that may have arrived.
const window = 200

// ensureSentOnce makes sure that a message is there once: as itself, or as a marker turned into
// it. The message was sent before any marker, so it has the lowest number.
func (c *Channel) ensureSentOnce(ctx context.Context, out outgoing, floor int64) (int64, error) {
	marker, err := c.marker(ctx, floor)
	if err != nil {
		return 0, err
	}
	kept := int64(0)
	for id := floor + 1; id <= min(marker, floor+window); id++ {
		is := kept > 0 && id == marker
		if !is {
			if is, err = c.editTo(ctx, out, id); err != nil {
				return 0, err
			}
		}
		switch {
		case is && kept == 0:
			kept = id
		case is:
			err = c.remove(ctx, id)
		}
		if err != nil {
			return 0, err
		}
	}
	if kept > 0 {
		return kept, nil
	}
	if is, err := c.editTo(ctx, out, marker); err != nil || is { // more was written meanwhile than the window covers
		return marker, err
	}
	c.last = mark{}
	return 0, errors.New("the message was deleted while it was sent")
}

// mark is the marker sent for a floor.
type mark struct{ floor, id int64 }

// marker sends a marker, unless an earlier try has sent it.
func (c *Channel) marker(ctx context.Context, floor int64) (int64, error) {
	if c.last.floor != floor {
		id, err := c.post(ctx, outgoing{Chat: c.chat, Text: strings.TrimSpace(notify.Prefix) + " …", Preview: preview{true}})
		if err != nil {
			return 0, err
		}
		c.last = mark{floor, id}
	}
	return c.last.id, nil
}

// editTo edits a message to a text and reports whether it now has it; false if the message is
// another user's or does not exist.
func (c *Channel) editTo(ctx context.Context, out outgoing, id int64) (bool, error) {
	out.Message, out.Silent = id, false
	err := c.callWithRetries(ctx, "editMessageText", out)
	var r *refusal
	switch {
	case !errors.As(err, &r):
		return err == nil, err
	case strings.Contains(r.words, "message is not modified"):
		return true, nil
	case strings.Contains(r.words, "can't be edited"), strings.Contains(r.words, "not found"), strings.Contains(r.words, "MESSAGE_ID_INVALID"):
		return false, nil
	}
	return false, makePermanent(err)
}

func (c *Channel) remove(ctx context.Context, id int64) error {
	err := c.callWithRetries(ctx, "deleteMessage", struct {
		Chat    int64 `json:"chat_id"`
		Message int64 `json:"message_id"`
	}{c.chat, id})
	var r *refusal
	if errors.As(err, &r) {
		return nil // an earlier try deleted it, or the API forbids it
	}
	return err
}

const (
	maxText   = 4096 // UTF-16 units
	maxButton = 60   // runes; longer ones do not fit a phone
)

// clipMessage shortens a text, counting as Telegram does.
func clipMessage(text string) string {
	units := 0
	for i, r := range text {
		units += utf16.RuneLen(r)
		if units > maxText-1 && i+len(string(r)) < len(text) {
			return text[:i] + "…"
		}
	}
	return text
}
