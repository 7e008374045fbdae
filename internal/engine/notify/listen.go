package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// listen receives what people say, each thing once: its position and the reply are written
// together.
func (b *Bridge) listen(ctx context.Context, hold *durable.Lease, l listener) {
	for failures := 0; ctx.Err() == nil; {
		at, err := b.readCursor(l.Name(), hold)
		if errors.Is(err, durable.ErrLeaseLost) {
			return
		}
		var list []Update
		if err == nil {
			list, err = l.Updates(ctx, at.Offset)
		}
		if err != nil {
			failures++
			b.saveTrouble(ctx, l.Name(), err, failures, at.Deaf, (*Cursor).listening)
			_ = proc.Pause(ctx, after(err, failures))
			continue
		}
		if at.Deaf != "" {
			b.note(l.Name(), (*Cursor).listening, "")
		}
		if failures = 0; !b.handleUpdates(ctx, l, list, at.Offset) {
			_ = proc.Pause(ctx, firstWait)
		}
	}
}

// readCursor returns how far a channel was received.
func (b *Bridge) readCursor(name string, hold *durable.Lease) (Cursor, error) {
	o, err := b.box.read()
	if err != nil {
		return Cursor{}, err
	}
	return *o.cursor(name), hold.Check()
}

// handleUpdates takes updates in order, and skips those already taken. It reports whether all were
// taken.
func (b *Bridge) handleUpdates(ctx context.Context, l listener, list []Update, next int64) bool {
	slices.SortStableFunc(list, func(x, y Update) int { return int(x.ID - y.ID) })
	for _, u := range list {
		if u.ID < next {
			continue
		}
		reply, toast := b.handleUpdate(ctx, u)
		if err := b.box.heard(b.names, l.Name(), u, reply); err != nil {
			b.trouble(err.Error())
			return false
		}
		next = u.ID + 1
		b.wake()
		if !u.Foreign {
			l.Heard(ctx, u, toast)
		}
	}
	return true
}

// handleUpdate acts on what a person sent, and returns the reply: a message, or a short text shown
// at a button.
func (b *Bridge) handleUpdate(ctx context.Context, u Update) (reply, toast string) {
	switch {
	case u.Foreign, u.Option == 0 && strings.TrimSpace(u.Text) == "": // a picture, for example
		return "", ""
	case u.Ask != "":
		return b.answer(u)
	case strings.HasPrefix(u.Text, "/"):
		if age := b.Now().Sub(u.At); age > maxCommandAge {
			return fmt.Sprintf("%s%s was sent %s ago, while warp was not listening; send it again if it still applies", Prefix, commandOf(u.Text), age.Round(time.Minute)), ""
		}
		return b.runCommand(ctx, commandOf(u.Text)), ""
	}
	return Prefix + "reply to a question to answer it, or use /status, /log, /inbox, /stop", ""
}

func (b *Bridge) answer(u Update) (reply, toast string) {
	said := u.Text
	if u.Option > 0 {
		book, err := b.Desk.Book()
		if err != nil {
			return Prefix + err.Error(), ""
		}
		if it := book.Find(u.Ask); it != nil && u.Option <= len(it.Options) {
			said = it.Options[u.Option-1]
		}
	}
	it, err := b.Desk.Answer(u.Ask, said, u.By)
	var used *questions.UsedError
	var option *questions.OptionError
	again := errors.As(err, &used) && it.AnsweredBy == u.By && (it.Answer == said || u.Option == 0)
	switch {
	case err == nil || again: // again: it was taken, but not recorded as taken
		return "", fmt.Sprintf("%s: %s", it.ID, it.Answer)
	case u.Option > 0 && used != nil:
		return "", err.Error() // shown at the button; the chat need not see it
	case errors.As(err, &option):
		err = fmt.Errorf("%w, or reply in your own words: other: …", err)
	}
	return Prefix + err.Error(), err.Error()
}

// maxCommandAge is how old a command may be: one that waited for a bridge may be about something
// long past.
const maxCommandAge = 5 * time.Minute

// commandOf returns the command in a text; in groups it names the bot: /status@bot.
func commandOf(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	word, _, _ = strings.Cut(word, "@")
	return word
}

// runCommand runs a command from a chat, with a time limit so that answers are not delayed.
func (b *Bridge) runCommand(ctx context.Context, word string) string {
	if word == "/inbox" {
		return b.pending()
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	if b.Command != nil {
		if said := b.Command(ctx, word); said != "" {
			return said
		}
	}
	return Prefix + "there is no command " + word + "; there are /status, /log, /inbox, /stop"
}

func (b *Bridge) pending() string {
	book, err := b.Desk.Book()
	if err != nil {
		return Prefix + err.Error()
	}
	var lines []string
	for _, i := range book.Pending() {
		lines = append(lines, fmt.Sprintf("%s: %s", i.ID, i.Question))
	}
	if len(lines) == 0 {
		return Prefix + "nothing waits for an answer"
	}
	return Prefix + "waiting for an answer:\n" + strings.Join(lines, "\n")
}
