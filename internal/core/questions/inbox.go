// Package questions is the decision inbox of a project: the questions that only a
// person can answer, who asked them, and the outcome of each. The first
// answer wins, from wherever it comes; one that comes late is kept until its
// question is asked again. Storing the document, waiting for answers and
// carrying them to people is left to others.
package questions

import (
	"fmt"
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
	Deadline string   `json:"deadline"`
	Session  string   `json:"session,omitempty"`
	Root     string   `json:"root,omitempty"`

	Answer     string `json:"answer,omitempty"`
	AnsweredBy string `json:"answered_by,omitempty"`
	AnsweredAt string `json:"answered_at,omitempty"`
	Late       bool   `json:"late,omitempty"`  // it came after the deadline
	Taken      bool   `json:"taken,omitempty"` // the asker has it
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
func (i *Item) Overdue(now time.Time) bool {
	return !i.Answered() && !now.Before(when(i.Deadline))
}

// State is pending, overdue, answered or taken.
func (i *Item) State(now time.Time) string {
	switch {
	case i.Taken:
		return "taken"
	case i.Answered():
		return "answered"
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
			it.Deadline = stamp(now.Add(wait))
		}
		return it
	}
	b.Asked++
	it := Item{
		ID: "q" + strconv.Itoa(b.Asked), AskedAt: stamp(now), AskedBy: q.By, Issue: q.Issue, Title: text.Clip(q.Title, maxOption), Chunk: q.Chunk, Criteria: q.Criteria,
		Question: words, Context: text.Clip(q.Context, maxText), Default: text.Clip(q.Default, maxOption), Deadline: stamp(now.Add(wait)), Session: q.Session, Root: q.Root,
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

// UnknownError says that there is no such question.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no question %q; warp inbox lists them", e.ID)
}

// AnsweredError says that another answer was faster.
type AnsweredError struct{ Item Item }

func (e *AnsweredError) Error() string {
	return fmt.Sprintf("%s was already answered by %s: %s", e.Item.ID, e.Item.AnsweredBy, e.Item.Answer)
}

// Answer records what a person said: an option, its number, or their own words;
// nothing stands for the default. The first answer wins, which is the error's
// business to tell the second.
func (b *Book) Answer(id, said, by string, now time.Time) (*Item, error) {
	it := b.Find(id)
	if it == nil {
		return nil, &UnknownError{id}
	}
	if it.Answered() {
		return it, &AnsweredError{*it}
	}
	answer := text.Clip(it.choice(said), maxText)
	if answer == "" {
		return it, fmt.Errorf("%s: an answer is missing: name an option, its number, or use your own words", it.ID)
	}
	it.Late = it.Overdue(now)
	it.Answer, it.AnsweredBy, it.AnsweredAt = answer, text.Clip(by, maxOption), stamp(now)
	return it, nil
}

// choice reads what a person typed. An option that is itself a number is meant
// before the option of that number.
func (i *Item) choice(said string) string {
	said = strings.TrimSpace(said)
	if said == "" {
		return i.Default
	}
	for _, o := range i.Options {
		if strings.EqualFold(o, said) {
			return o
		}
	}
	if n, err := strconv.Atoi(said); err == nil && n >= 1 && n <= len(i.Options) {
		return i.Options[n-1]
	}
	return said
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

// Take marks items as taken by the asker.
func (b *Book) Take(ids ...string) {
	for i := range b.Items {
		if slices.Contains(ids, b.Items[i].ID) {
			b.Items[i].Taken = true
		}
	}
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
