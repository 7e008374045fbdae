// Package questions is the decision inbox of a project: the questions that only a person can
// answer, who asked them, and the outcome of each. An answer can be changed until the asker takes
// it, wherever it comes from; a late one is kept until its question is asked again. Other packages
// store the document, wait for answers and notify people.
package questions

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// File is the document's path under the store's folder.
const File = "state/inbox.json"

// Name is the document's name in the journal.
const Name = "inbox"

// Version is the newest document version that this package knows.
const Version = 1

// Who asks.
const (
	Engine = "engine"
	Agent  = "agent"
	Gate   = "gate"
)

// AboutWorkflow is the title of a workflow's question: whether its plan is approved.
const AboutWorkflow = "Workflow"

// Question is a decision for a person.
type Question struct {
	By            string // Engine, Agent, Gate
	Issue, Title  string
	Chunk         int
	Criteria      []string // of the chunk
	Text, Context string
	Options       []string
	Default       string
	Session       string // of the asking agent
	Root          string // the work tree it asks from
	Work          string // the loop, pipeline or workflow whose run asks, as evidence names it; "": none
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
	Deadline string   `json:"deadline"` // "" if there is none
	Session  string   `json:"session,omitempty"`
	Root     string   `json:"root,omitempty"`
	Work     string   `json:"work,omitempty"` // whose run asked, such as "session auth": the run's own session is gone when it ends

	Answer     string `json:"answer,omitempty"`
	AnsweredBy string `json:"answered_by,omitempty"`
	AnsweredAt string `json:"answered_at,omitempty"`
	Was        string `json:"was,omitempty"`              // the answer that this one replaced
	Late       bool   `json:"late,omitempty"`             // it came after the deadline
	Defaulted  string `json:"default_taken_at,omitempty"` // when the asker continued with the default for lack of an answer
	Taken      bool   `json:"taken,omitempty"`            // the asker has it
	TakenAt    string `json:"taken_at,omitempty"`
	TakenBy    string `json:"taken_by,omitempty"`
}

type Book struct {
	Version int    `json:"version"`
	Asked   int    `json:"asked"` // number of questions ever, which numbers the next
	Items   []Item `json:"items"`
}

// Answered reports whether there is an answer.
func (i *Item) Answered() bool { return i.AnsweredAt != "" }

// Overdue reports whether the deadline has passed without an answer.
func (i *Item) Overdue(now time.Time) bool { return !i.Answered() && i.isPast(now) }

// Left returns the time until the deadline.
func (i *Item) Left(now time.Time) time.Duration { return when(i.Deadline).Sub(now) }

func (i *Item) isPast(now time.Time) bool {
	return i.Deadline != "" && !now.Before(when(i.Deadline))
}

// State returns pending, overdue, defaulted, answered or taken.
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

// stamp and when format and parse times as the documents do.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func when(s string) time.Time {
	t, _ := time.Parse(time.RFC3339, s) // an unreadable deadline has passed
	return t
}

// keep limits the number of items: the oldest that are no longer needed go first.
const keep = 200

// Limits of texts, in bytes.
const (
	maxText   = 4000
	maxOption = 200
	// MaxOptions is the most options of a question.
	MaxOptions = 12
)

// Forever is the waiting time of a question without a deadline.
const Forever time.Duration = -1

func deadline(now time.Time, wait time.Duration) string {
	if wait == Forever {
		return ""
	}
	return stamp(now.Add(wait))
}

// Ask adds a question to the inbox with a deadline. A question about the same work in the same
// words is asked again: its answer may have come meanwhile.
func (b *Book) Ask(q Question, now time.Time, wait time.Duration) *Item {
	b.Version = Version
	words := text.Clip(q.Text, maxText)
	for i := range b.Items {
		it := &b.Items[i]
		same := !it.Taken && it.AskedBy == q.By && it.Issue == q.Issue && it.about(q.Chunk, q.Criteria) && it.Question == words
		if !same || it.Work != q.Work || q.Issue == "" && it.Root != q.Root { // an issue may continue in another work tree
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
		Question: words, Context: text.Clip(q.Context, maxText), Default: text.Clip(q.Default, maxOption), Deadline: deadline(now, wait), Session: q.Session, Root: q.Root, Work: q.Work,
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

// Withdraw removes the unanswered questions that are over. A question whose default was taken stays,
// since a person can still change it.
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

// forget drops the oldest of too many items: taken ones first, unanswered ones last.
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

// Find returns an item by its id as a person types it: q7, Q7 or 7.
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

// Pending returns the unanswered questions, oldest first.
func (b *Book) Pending() []Item {
	return slices.DeleteFunc(slices.Clone(b.Items), func(i Item) bool { return i.Answered() })
}

// about reports whether a question is about a chunk, by its criteria: when an issue is resumed, its
// chunks have other numbers.
func (i *Item) about(chunk int, criteria []string) bool {
	if len(i.Criteria) == 0 || len(criteria) == 0 {
		return i.Chunk == chunk
	}
	return slices.ContainsFunc(criteria, func(id string) bool { return slices.Contains(i.Criteria, id) })
}

// Decided returns the questions that a loop, pipeline or workflow asked in a work tree since a time and
// that have an answer, or whose default was taken: then that is the answer.
func (b *Book) Decided(work, root string, since time.Time) (list []Item) {
	for _, i := range b.Items {
		if i.Work != work || i.Root != root || when(i.AskedAt).Before(since.Truncate(time.Millisecond)) {
			continue
		}
		if !i.Answered() && i.Defaulted != "" {
			i.Answer, i.AnsweredBy, i.AnsweredAt = i.Default, ByDefault, i.Defaulted
		}
		if i.Answered() {
			list = append(list, i)
		}
	}
	return list
}

// Late returns the answers about a chunk that have not been taken yet.
func (b *Book) Late(issue string, chunk int, criteria ...string) []Item {
	return slices.DeleteFunc(slices.Clone(b.Items), func(i Item) bool {
		return !i.Answered() || i.Taken || i.Issue != issue || !i.about(chunk, criteria)
	})
}

// For returns the answers that an agent's session has not read: to its own questions and, if it
// owns the drive of a work tree, to those asked there.
func (b *Book) For(session, root string, owner bool) []Item {
	return slices.DeleteFunc(slices.Clone(b.Items), func(i Item) bool {
		mine := i.Session == session || owner && i.Root == root
		return i.AskedBy != Agent || !i.Answered() || i.Taken || !mine
	})
}

// HasAnswerFor reports whether an answer waits for a session of a work tree.
func (b *Book) HasAnswerFor(root string) bool {
	return slices.ContainsFunc(b.Items, func(i Item) bool { return i.AskedBy == Agent && i.Root == root && i.Answered() && !i.Taken })
}
