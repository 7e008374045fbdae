package notify

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/lossless"
)

// Section is the settings' member about how decisions travel.
const Section = "_rdb"

// Settings are the section's values. They never contain secrets.
type Settings struct {
	Enabled bool
	Chat    int64  // of Telegram; 0: none
	APIBase string // of Telegram; "": its own
	Webhook string
	Ntfy    string
}

// ReadSettings reads the section from the settings' text. A chat from the environment replaces the
// section's; "": none.
func ReadSettings(text []byte, chat string) (s Settings, err error) {
	if s, err = readSection(text); err != nil || chat == "" {
		return s, err
	}
	if s.Chat, err = strconv.ParseInt(chat, 10, 64); err != nil {
		return s, errors.New("TELEGRAM_CHAT_ID must be the number of a chat")
	}
	return s, nil
}

func readSection(text []byte) (s Settings, err error) {
	if len(strings.TrimSpace(string(text))) == 0 {
		return s, nil
	}
	doc, err := lossless.Parse(text)
	if err != nil {
		return s, fmt.Errorf("%s is not valid JSON: %w", config.File, err)
	}
	v := doc.Get(Section)
	if v == nil || v.Kind != lossless.Object {
		return s, nil // core/config reports what is wrong with it
	}
	s.Enabled = v.Get("enabled") != nil && v.Get("enabled").Raw == "true"
	s.APIBase, s.Webhook, s.Ntfy = v.Get("api_base").Text(), v.Get("webhook").Text(), v.Get("ntfy").Text()
	if chat := v.Get("chat"); chat != nil {
		typed := chat.Text()
		if chat.Kind == lossless.Number {
			typed = chat.Raw
		}
		if s.Chat, err = strconv.ParseInt(typed, 10, 64); err != nil {
			return s, fmt.Errorf("%s: %s.chat must be the number of a Telegram chat", config.File, Section)
		}
	}
	if s.APIBase != "" && !local(s.APIBase) {
		return s, errors.New(config.File + ": " + Section + ".api_base may only name a server on this machine, because the token is sent there; use TELEGRAM_API_BASE for another one")
	}
	return s, nil
}

// Channels returns the names of the configured channels.
func (s Settings) Channels() []string {
	var names []string
	for _, c := range []struct {
		is   bool
		name string
	}{{s.Chat != 0, "telegram"}, {s.Webhook != "", "webhook"}, {s.Ntfy != "", "ntfy"}} {
		if s.Enabled && c.is {
			names = append(names, c.name)
		}
	}
	return names
}

func local(base string) bool {
	u, err := url.Parse(base)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && (u.Hostname() == "127.0.0.1" || u.Hostname() == "::1" || u.Hostname() == "localhost")
}

// minLevels maps each kind to the lowest notify setting at which it is sent.
var minLevels = map[string]string{
	Phase: config.NotifyAll, Commit: config.NotifyAll, Remark: config.NotifyAll,
	Merged: config.NotifyImportant, Failed: config.NotifyImportant, Person: config.NotifyImportant, End: config.NotifyImportant,
	Decision: config.NotifyQuestions, Settled: config.NotifyQuestions, Reply: config.NotifyQuestions,
}

// Wanted reports whether a message of a kind is sent at a notify setting.
func Wanted(level, kind string) bool {
	levels := []string{config.NotifyQuestions, config.NotifyImportant, config.NotifyAll}
	return slices.Index(levels, level) >= slices.Index(levels, minLevels[kind])
}

// Urgency is how loudly a message arrives.
type Urgency int

// From silent to waiting for a person.
const (
	Low Urgency = iota
	Normal
	High
)

var urgencies = map[string]Urgency{Merged: Normal, Failed: Normal, End: Normal, Reply: Normal, Decision: High, Person: High}

// Urgency returns the urgency of the message's kind.
func (m Message) Urgency() Urgency { return urgencies[m.Kind] }
