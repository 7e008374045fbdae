// Package questions is the decision inbox of a project: the questions that only a
// person can answer, who asked them, and the outcome of each. An answer can be
// changed until the asker has it, from wherever it comes; one that comes late is
// kept until its question is asked again. Storing the document, waiting for
// answers and carrying them to people is left to others.
package questions

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// File is where the document stands, under the store's folder.
const File = "state/inbox.json"

// Name is the document's, in the journal.
const Name = "inbox"

// Version is the newest version of the document that this package knows.
const Version = 1

// Who asks.
const (
	Engine = "engine"
	Agent  = "agent"
	Gate   = "gate"
)

// AboutWorkflow is the title of what a workflow asks: whether its plan is approved.
const AboutWorkflow = "Workflow"

// Question is what a person is to decide.
type Question struct {
	By            string // Engine, Agent, Gate
	Issue, Title  string
	Chunk         int
	Criteria      []string // of the chunk
	Text, Context string
	Options       []string
	Default       string
	Session       string // of the agent that asks
	Root          string // the work tree it asks from
	Run           bool   // a run that warp has started asks
}

// Item is a question in the inbox.
type Item struct {
	lossless.Origin
	ID       string   `json:"id"`
	AskedAt  string   `json:"asked_at"`
	AskedBy  string   `json:"asked_by"`
	Issue    string   `json:"issue,omitempty"`
	Title    string   `json:"title,omitempty"`
	Chunk    int      `json:"chunk,omitempty"`
	Criteria []string `json:"criteria,omitempty"`
	Question string   `json:"question"`
	Context  string   `json:"context,omitempty"`
	Options  []string `json:"options,omitempty"`
	Default  string   `json:"default,omitempty"`
	Deadline string   `json:"deadline"` // "": it is waited for without bound
	Session  string   `json:"session,omitempty"`
	Root     string   `json:"root,omitempty"`
	Run      bool     `json:"run,omitempty"` // a run that warp has started asked: its session is gone when it ends

	Answer     string `json:"answer,omitempty"`
	AnsweredBy string `json:"answered_by,omitempty"`
	AnsweredAt string `json:"answered_at,omitempty"`
	Was        string `json:"was,omitempty"`              // the answer that this one replaced
	Late       bool   `json:"late,omitempty"`             // it came after the deadline
	Defaulted  string `json:"default_taken_at,omitempty"` // no answer came in time: the asker continued with the default
	Taken      bool   `json:"taken,omitempty"`            // the asker has it
	TakenAt    string `json:"taken_at,omitempty"`
	TakenBy    string `json:"taken_by,omitempty"`
}

// Book is the document.
type Book struct {
	Version int    `json:"version"`
	Asked   int    `json:"asked"` // how many there ever were: the next one's number
	Items   []Item `json:"items"`
}

// Answered reports whether there is an answer.
func (i *Item) Answered() bool { return i.AnsweredAt != "" }

// Overdue reports whether the deadline has passed without an answer.
func (i *Item) Overdue(now time.Time) bool { return !i.Answered() && i.isPast(now) }

// Left is what is left until the deadline.
func (i *Item) Left(now time.Time) time.Duration { return when(i.Deadline).Sub(now) }

func (i *Item) isPast(now time.Time) bool {
	return i.Deadline != "" && !now.Before(when(i.Deadline))
}

// State is pending, overdue, defaulted, answered or taken.
func (i *Item) State(now time.Time) string {
	switch {
	case i.Taken:
		return "taken"
	case i.Answered():
		return "answered"
	case i.Defaulted != "":
		return "defaulted"
	case i.Overdue(now):
		return "overdue"
	}
	return "pending"
}

// stamp and when spell times as the documents do.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func when(s string) time.Time {
	t, _ := time.Parse(time.RFC3339, s) // what cannot be read has long passed
	return t
}

// keep bounds the document: the oldest that are no longer needed go first.
const keep = 200

// limits of texts that are kept, in bytes.
const (
	maxText   = 4000
	maxOption = 200
	// MaxOptions is how many options a question may have.
	MaxOptions = 12
)

// Forever is how long a question without a deadline is waited for.
const Forever time.Duration = -1

func deadline(now time.Time, wait time.Duration) string {
	if wait == Forever {
		return ""
	}
	return stamp(now.Add(wait))
}

// Ask puts a question into the inbox and gives it until the deadline. One that
// is there already, about the same work in the same words, is asked again: its
// answer may have come meanwhile.
func (b *Book) Ask(q Question, now time.Time, wait time.Duration) *Item {
	b.Version = Version
	words := text.Clip(q.Text, maxText)
	for i := range b.Items {
		it := &b.Items[i]
		same := !it.Taken && it.AskedBy == q.By && it.Issue == q.Issue && it.about(q.Chunk, q.Criteria) && it.Question == words
		if !same || q.Issue == "" && it.Root != q.Root { // an issue may continue in another work tree
			continue
		}
		it.Session, it.Root, it.Chunk = q.Session, q.Root, q.Chunk
		if !it.Answered() {
			it.Deadline, it.Defaulted = deadline(now, wait), ""
		}
		return it
	}
	b.Asked++
	it := Item{
		ID: "q" + strconv.Itoa(b.Asked), AskedAt: stamp(now), AskedBy: q.By, Issue: q.Issue, Title: text.Clip(q.Title, maxOption), Chunk: q.Chunk, Criteria: q.Criteria,
		Question: words, Context: text.Clip(q.Context, maxText), Default: text.Clip(q.Default, maxOption), Deadline: deadline(now, wait), Session: q.Session, Root: q.Root, Run: q.Run,
	}
	for _, o := range q.Options[:min(len(q.Options), MaxOptions)] {
		if o = text.Clip(strings.TrimSpace(o), maxOption); o != "" {
			it.Options = append(it.Options, o)
		}
	}
	b.Items = append(b.Items, it)
	b.forget(now)
	return &b.Items[len(b.Items)-1]
}

// Withdraw takes back the questions without an answer that are over: no one waits for it any
// more. One whose default was taken stays, since a person can still change it.
func (b *Book) Withdraw(over func(Item) bool) (gone []Item) {
	b.Items = slices.DeleteFunc(b.Items, func(i Item) bool {
		if i.Answered() || i.Defaulted != "" || !over(i) {
			return false
		}
		gone = append(gone, i)
		return true
	})
	return gone
}

// forget drops the oldest of too many items: those that are done with first,
// those that wait for an answer last.
func (b *Book) forget(now time.Time) {
	for _, over := range []func(*Item) bool{
		func(i *Item) bool { return i.Taken },
		func(i *Item) bool { return i.Overdue(now) },
		func(*Item) bool { return true },
	} {
		for len(b.Items) > keep {
			n := slices.IndexFunc(b.Items[:len(b.Items)-1], func(i Item) bool { return over(&i) })
			if n < 0 {
				break
			}
			b.Items = slices.Delete(b.Items, n, n+1)
		}
	}
}

// Find returns the item of an id as a person types it: q7, Q7 or 7.
func (b *Book) Find(id string) *Item {
	id = strings.ToLower(strings.TrimSpace(id))
	if _, err := strconv.Atoi(id); err == nil {
		id = "q" + id
	}
	for i := range b.Items {
		if b.Items[i].ID == id {
			return &b.Items[i]
		}
	}
	return nil
}

// Pending are the unanswered questions, the oldest first.
func (b *Book) Pending() []Item {
	return slices.DeleteFunc(slices.Clone(b.Items), func(i Item) bool { return i.Answered() })
}

// about reports whether a question is about a chunk. Its criteria say so: when an
// issue is taken up again, its chunks have other numbers.
func (i *Item) about(chunk int, criteria []string) bool {
	if len(i.Criteria) == 0 || len(criteria) == 0 {
		return i.Chunk == chunk
	}
	return slices.ContainsFunc(criteria, func(id string) bool { return slices.Contains(i.Criteria, id) })
}

// Late are the answers about a chunk that came after their deadline and that
// not taken yet.
func (b *Book) Late(issue string, chunk int, criteria ...string) []Item {
	return slices.DeleteFunc(slices.Clone(b.Items), func(i Item) bool {
		return !i.Answered() || i.Taken || i.Issue != issue || !i.about(chunk, criteria)
	})
}

// For are the answers that an agent's session has not read: to what it asked
// itself, and, where it owns the drive of a work tree, to what was asked there.
func (b *Book) For(session, root string, owner bool) []Item {
	return slices.DeleteFunc(slices.Clone(b.Items), func(i Item) bool {
		mine := i.Session == session || owner && i.Root == root
		return i.AskedBy != Agent || !i.Answered() || i.Taken || !mine
	})
}

// Owed reports whether an answer waits for a session of a work tree.
func (b *Book) Owed(root string) bool {
	return slices.ContainsFunc(b.Items, func(i Item) bool { return i.AskedBy == Agent && i.Root == root && i.Answered() && !i.Taken })
}
