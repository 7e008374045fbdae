// Package telegram carries messages to a Telegram chat and brings back what is
// said there, over the Bot API with long polling. Five of its methods are
// needed, so the client is our own.
//
// The API takes a message without a key by which a second try could be known
// for one. But messages are numbered, and an edit can be repeated: to edit one to
// the text that it has changes nothing ("message is not modified"). So a message
// is sent once. When it is not known whether it arrived, a marker is sent, whose
// number bounds where the message can be; it is looked for there, and when it is
// not there, the marker becomes the message. Markers that got lost on the way are
// found in the same way, and taken back.
// What is queued, and when it is tried again, is left to engine/notify.
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

// apiBase is where the Bot API is.
const apiBase = "https://api.telegram.org"

// How long things may take.
const (
	sending = 30 * time.Second
	polling = 50 // seconds that a poll waits at the server
	slack   = 15 * time.Second
)

// Config is what a channel needs.
type Config struct {
	Base   string // "": Base
	Token  string
	Chat   int64             // the one that is written to and obeyed
	Client http.RoundTripper // nil: its own
}

// Channel is a chat.
type Channel struct {
	base, token string
	chat        int64
	client      *http.Client
	last        mark // the sender's alone
}

// New makes a channel. Nothing is asked yet.
func New(c Config) (*Channel, error) {
	switch {
	case c.Token == "":
		return nil, errors.New("there is no token of a Telegram bot: set TELEGRAM_BOT_TOKEN, or put it into the token's file")
	case strings.ContainsAny(c.Token, "/?#% \t\r\n"):
		return nil, errors.New("the token of the Telegram bot has characters that no token has")
	case c.Chat == 0:
		return nil, errors.New("the Telegram chat is missing: warp rdb on --chat NUMBER")
	}
	if c.Base == "" {
		c.Base = apiBase
	}
	if !wire.MayCarrySecrets(c.Base) {
		return nil, errors.New("the address of Telegram's API must begin with https://, as the token is sent there: see TELEGRAM_API_BASE")
	}
	if c.Client == nil {
		c.Client = http.DefaultTransport.(*http.Transport).Clone()
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the address has the token in it
	return &Channel{strings.TrimSuffix(c.Base, "/"), c.Token, c.Chat, &http.Client{Transport: c.Client, CheckRedirect: noRedirect}, mark{}}, nil
}

// Name is what the outbox calls it.
func (c *Channel) Name() string { return "telegram" }

// Close gives idle connections back.
func (c *Channel) Close() error { c.client.CloseIdleConnections(); return nil }

// Bot is the bot's name, which shows that the token is good.
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

// Send sends a letter, unless it is there already.
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
	if l.Tries == 2 { // no marker was sent yet: it is most likely just there
		if id, err := c.near(ctx, out, l.Floor); err != nil || id > 0 {
			return id, err
		}
	}
	return c.settle(ctx, out, l.Floor)
}

func (c *Channel) post(ctx context.Context, out outgoing) (int64, error) {
	var sent struct {
		ID int64 `json:"message_id"`
	}
	err := c.call(ctx, sending, "sendMessage", out, &sent)
	return sent.ID, final(err)
}

// final says that what the API does not accept, it never will.
func final(err error) error {
	var r *refusal
	if errors.As(err, &r) {
		return &notify.Refused{Why: r.words}
	}
	return err
}

// near looks for a message among the first numbers after a floor; 0: it is not
// there.
func (c *Channel) near(ctx context.Context, out outgoing, floor int64) (int64, error) {
	for id := floor + 1; id <= floor+3; id++ {
		if is, err := c.put(ctx, out, id); err != nil || is {
			return id, err
		}
	}
	return 0, nil
}

// window is how many numbers are looked at for a message that may have arrived.
const window = 200

// settle makes sure that a message is there once: as itself, or as a marker that
// became it. The message was sent before any marker, so it has the lowest number.
func (c *Channel) settle(ctx context.Context, out outgoing, floor int64) (int64, error) {
	marker, err := c.marker(ctx, floor)
	if err != nil {
		return 0, err
	}
	kept := int64(0)
	for id := floor + 1; id <= min(marker, floor+window); id++ {
		is := kept > 0 && id == marker
		if !is {
			if is, err = c.put(ctx, out, id); err != nil {
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
	if is, err := c.put(ctx, out, marker); err != nil || is { // far more was written than is looked at
		return marker, err
	}
	c.last = mark{}
	return 0, errors.New("the message was deleted while it was sent")
}

// mark is a marker that was sent, and for what.
type mark struct{ floor, id int64 }

// marker sends a marker, unless an earlier try has come so far.
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

// put edits a message to a text, and tells whether it has it now: not when it is
// another user's, or unclaimed.
func (c *Channel) put(ctx context.Context, out outgoing, id int64) (bool, error) {
	out.Message, out.Silent = id, false
	err := c.repeat(ctx, "editMessageText", out)
	var r *refusal
	switch {
	case !errors.As(err, &r):
		return err == nil, err
	case strings.Contains(r.words, "message is not modified"):
		return true, nil
	case strings.Contains(r.words, "can't be edited"), strings.Contains(r.words, "not found"), strings.Contains(r.words, "MESSAGE_ID_INVALID"):
		return false, nil
	}
	return false, final(err)
}

func (c *Channel) remove(ctx context.Context, id int64) error {
	err := c.repeat(ctx, "deleteMessage", struct {
		Chat    int64 `json:"chat_id"`
		Message int64 `json:"message_id"`
	}{c.chat, id})
	var r *refusal
	if errors.As(err, &r) {
		return nil // an earlier try did it, or the API does not let it
	}
	return err
}

// The API's limits.
const (
	maxText   = 4096 // UTF-16 units
	maxButton = 60   // runes; longer ones do not fit a phone
)

// clipMessage counts as Telegram does.
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
