// Package notify carries messages to people wherever they are, and brings back what they say. A
// message is in a durable outbox before Notify returns; each channel gets all of them, in order,
// once, and what is unsent when the process ends is sent by the next one. One process at a time
// sends: it holds a lease. The engine never waits for a network. Adapters implement the channels;
// anyone who starts the bridge runs commands from chats.
package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/core/text"
)

// Kinds of messages.
const (
	Phase    = "phase"
	Commit   = "commit"
	Decision = "decision"
	Settled  = "settled" // a decision was made
	Merged   = "merged"
	Failed   = "failed"
	Person   = "needs_person"
	End      = "end"
	Remark   = "note"
	Reply    = "reply" // to a command from a chat
)

// Prefix starts every message, as seed 001 prints it.
const Prefix = "[warp-drive] "

// Message is a message to people.
type Message struct {
	Kind    string   `json:"kind"`
	Text    string   `json:"text"`
	Issue   string   `json:"issue,omitempty"`
	Chunk   int      `json:"chunk,omitempty"`
	Ask     string   `json:"ask,omitempty"` // the question's id, for a Decision
	Options []string `json:"options,omitempty"`
	Only    string   `json:"only,omitempty"` // the only channel that gets it
}

// PhaseText returns the line about a phase transition.
func PhaseText(phase string, chunk, total int, issue string) string {
	switch {
	case chunk > 0 && total > 0:
		return fmt.Sprintf("%s%s -- chunk %d/%d for #%s", Prefix, phase, chunk, total, issue)
	case issue != "":
		return fmt.Sprintf("%s%s -- #%s", Prefix, phase, issue)
	}
	return Prefix + phase
}

// EndText returns the line about the end.
func EndText(commits, chunks int) string {
	return fmt.Sprintf("%ssession ending -- %s, %s", Prefix, text.Count(commits, "commit"), text.Count(chunks, "chunk"))
}

// Question returns the message for an item of the inbox. Its first line names the question, so that
// a reply to the message can be recognised.
func Question(i questions.Item) Message {
	var b strings.Builder
	fmt.Fprintf(&b, "%squestion %s", Prefix, i.ID)
	if i.Issue != "" {
		fmt.Fprintf(&b, " for #%s", i.Issue)
	}
	if i.Context != "" {
		fmt.Fprintf(&b, " (%s)", i.Context)
	}
	fmt.Fprintf(&b, "\n%s\n", i.Question)
	for n, o := range i.Options {
		fmt.Fprintf(&b, "%d. %s\n", n+1, o)
	}
	if i.Default != "" {
		fmt.Fprintf(&b, "Default: %s\n", i.Default)
	}
	if i.Deadline != "" {
		fmt.Fprintf(&b, "Until %s. ", text.LocalStamp(i.Deadline))
	}
	b.WriteString(map[bool]string{false: "Reply to this message.", true: "Choose, or reply to this message; begin with \"other:\" for your own words."}[len(i.Options) > 0])
	return Message{Kind: Decision, Text: b.String(), Issue: i.Issue, Chunk: i.Chunk, Ask: i.ID, Options: i.Options}
}

// Settlement returns the message about an answer, about a default taken because none came, or about
// a withdrawn question.
func Settlement(i questions.Item) Message {
	said := fmt.Sprintf("was answered by %s: %s", i.AnsweredBy, i.Answer)
	switch {
	case !i.Answered() && i.AnsweredBy == "":
		said = "no longer needs an answer: the work has continued or ended"
	case i.AnsweredBy == questions.ByDefault:
		said = fmt.Sprintf("had no answer in time, so its default was taken: %s (an answer still counts when the item is picked up again)", i.Answer)
	case i.Was != "":
		said = fmt.Sprintf("was changed by %s from %s to %s", i.AnsweredBy, i.Was, i.Answer)
	}
	if i.Late {
		said += ", late: it counts when the item is picked up again"
	}
	return Message{Kind: Settled, Issue: i.Issue, Chunk: i.Chunk, Text: fmt.Sprintf("%squestion %s %s", Prefix, i.ID, said)}
}

// Letter is a message on its way to one channel.
type Letter struct {
	Message
	Seq     int64 // its number, the same in every try
	At      time.Time
	Project string
	// Tries counts the tries, including other processes'. From the second on, an earlier one may
	// have arrived: a channel that can check does so before sending again.
	Tries int
	// Floor is the channel's highest message number before the first try; 0: unknown.
	Floor int64
}

// Channel is one way to reach people.
type Channel interface {
	Name() string
	// Send delivers a letter and returns the channel's number for it. With any error except those
	// below, it may or may not have arrived.
	Send(context.Context, Letter) (int64, error)
}

// listener is a channel on which people can answer.
type listener interface {
	Channel
	// Updates waits for what people said, starting at an offset.
	Updates(ctx context.Context, offset int64) ([]Update, error)
	// Heard confirms to the person that something was received; nothing depends on it.
	Heard(ctx context.Context, u Update, text string)
}

// Update is one thing that a person sent.
type Update struct {
	ID      int64
	At      time.Time
	Foreign bool   // from an unauthorized source: ignored and counted
	By      string // the sender
	Ask     string // the question it answers; "": none
	Option  int    // the chosen option, from 1; 0: in words
	Text    string
	Tag     string // for the channel's own use
	Ref     int64  // the channel's number for it; 0: irrelevant
}

// Later reports that the channel asks for a pause; the letter did not arrive.
type Later struct{ After time.Duration }

func (e *Later) Error() string { return fmt.Sprintf("asks for a pause of %s", e.After) }

// Refused reports that this letter will never be accepted.
type Refused struct{ Why string }

func (e *Refused) Error() string { return "does not accept it: " + e.Why }

// Blocked reports that nothing is accepted until a person fixes something; the letter did not
// arrive.
type Blocked struct{ Why string }

func (e *Blocked) Error() string { return e.Why }

// outcomeKinds maps results to kinds of messages. A stop by a person is not reported: the person knows.
var outcomeKinds = map[evidence.Result]string{
	evidence.Merged: Merged, evidence.Pull: Merged, evidence.Failed: Failed, evidence.Partly: Failed,
	evidence.Person: Person, evidence.Budget: Person, evidence.Stopped: Remark,
}

// Outcome returns the message about how a requirement ended; without a kind, there is nothing to
// tell.
func Outcome(o evidence.Outcome, e evidence.Effort) Message {
	parts := []string{fmt.Sprintf("#%s %s", o.Issue, o.Result.Words())}
	if o.Title != "" {
		parts[0] += ": " + o.Title
	}
	if !o.Result.Good() {
		if len(e.Failing) > 0 {
			parts = append(parts, text.Count(len(e.Failing), "test")+" failed: "+text.List(e.Failing, 3))
		}
		parts = append(parts, o.Why, o.Do)
	}
	parts = append(parts, o.Pull, describeSpent(e))
	var lines []string
	for _, p := range parts {
		if p = text.ClipRunes(strings.TrimSpace(p), 500); p != "" {
			lines = append(lines, p)
		}
	}
	return Message{Kind: outcomeKinds[o.Result], Issue: o.Issue, Text: Prefix + strings.Join(lines, "\n")}
}

// describeSpent returns what a requirement took: money, then time.
func describeSpent(e evidence.Effort) string {
	var parts []string
	if e.Cost.Runs > 0 {
		parts = append(parts, e.Cost.Money())
	}
	if e.Took > 0 {
		parts = append(parts, text.Span(e.Took.Seconds()))
	}
	return strings.Join(parts, ", ")
}
