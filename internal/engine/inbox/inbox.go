// Package inbox asks people questions and waits for their answers. The inbox is one durable
// document of the project, so that a question outlives its asker and any process can answer it: a
// terminal, a command, a bridge to a chat. Waiting means watching the document; nothing is held
// open. It decides what happens when no answer comes in time, for all askers; they decide what an
// answer means. It also knows whether a person watches the project, and so will see a question.
package inbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/questions"
	"warp/internal/durable"
)

// Inbox is the inbox of one project. It is safe for concurrent use.
type Inbox struct {
	doc *durable.Doc[questions.Book]
	now func() time.Time
	Hear
}

// Hear connects the participants; each may be nil.
type Hear struct {
	// Posted is called for each new question.
	Posted func(questions.Item)
	// Settled is called with each answer to a question, and with the default taken when none came.
	Settled func(questions.Item)
	// Terminal asks the person there, until the context ends; false if no one answered.
	Terminal func(context.Context, questions.Item) (string, bool)
	// Mark marks in a work tree that an answer waits for a session.
	Mark func(root, session string) error
}

var kind = durable.Kind[questions.Book]{Name: questions.Name, Version: questions.Version}

// Open returns the inbox in a store, which is the main work tree's. It reads nothing yet.
func Open(store *durable.Store, now func() time.Time, hear Hear) *Inbox {
	return &Inbox{doc: durable.Open(store, questions.File, kind), now: now, Hear: hear}
}

// Book reads the inbox; an empty one if there is none.
func (i *Inbox) Book() (*questions.Book, error) {
	v, err := i.doc.Read()
	if durable.IsMissing(err) {
		return &questions.Book{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the inbox: %w", err)
	}
	return v.Doc, nil
}

// Pending returns the unanswered questions, oldest first.
func (i *Inbox) Pending() ([]questions.Item, error) {
	b, err := i.Book()
	if err != nil {
		return nil, err
	}
	return b.Pending(), nil
}

// Late returns the answers about a chunk that came after their deadline. They are marked as used:
// each is returned once.
func (i *Inbox) Late(issue string, chunk int, criteria ...string) ([]questions.Item, error) {
	b, err := i.Book()
	if err != nil || len(b.Late(issue, chunk, criteria...)) == 0 {
		return nil, err
	}
	var late []questions.Item
	err = i.edit("taken", func(b *questions.Book) (*questions.Item, error) {
		late = b.Late(issue, chunk, criteria...)
		for _, l := range late {
			b.Take(l.ID, i.now())
		}
		return nil, nil
	})
	return late, err
}

// Put puts a question into the inbox, and posts it.
func (i *Inbox) Put(q questions.Question, wait time.Duration) (questions.Item, error) {
	var put questions.Item
	err := i.edit("asked", func(b *questions.Book) (*questions.Item, error) {
		it := b.Ask(q, i.now(), wait)
		put = *it
		return it, nil
	})
	if err == nil && i.Posted != nil && !put.Answered() {
		i.Posted(put)
	}
	return put, err
}

// Answer records a person's answer to a question, replacing an earlier one. Once an answer was
// used, the error is a *questions.UsedError; for an unknown option it is a *questions.OptionError.
func (i *Inbox) Answer(id, said, by string) (questions.Item, error) {
	var got questions.Item
	news := false
	err := i.edit("answered", func(b *questions.Book) (*questions.Item, error) {
		before := ""
		if it := b.Find(id); it != nil {
			before = it.AnsweredAt + it.Answer
		}
		it, err := b.Answer(id, said, by, i.now())
		if it != nil {
			got, news = *it, it.AnsweredAt+it.Answer != before
		}
		return it, err
	})
	if err != nil {
		return got, err
	}
	if news && i.Settled != nil {
		i.Settled(got)
	}
	return got, i.mark(got) // even if nothing changed: a crash may have prevented the first
}

// mark marks an answer for the session that asked. Only agents need it: an engine watches the inbox
// itself.
func (i *Inbox) mark(it questions.Item) error {
	if i.Mark == nil || it.AskedBy != questions.Agent || it.Root == "" {
		return nil
	}
	if err := i.Mark(it.Root, it.Session); err != nil {
		return fmt.Errorf("the answer to %s is recorded, but its session sees it only at its next start: %w", it.ID, err)
	}
	return nil
}

// edit changes the inbox. The journal records what was done to which item.
func (i *Inbox) edit(name string, fn func(*questions.Book) (*questions.Item, error)) error {
	var refused error
	_, err := i.doc.Update(func(tx *durable.Tx[questions.Book]) error {
		if tx.Doc == nil {
			tx.Doc = &questions.Book{}
		}
		it, err := fn(tx.Doc)
		if it != nil {
			tx.Log(name, map[string]string{"id": it.ID, "question": it.Question, "answer": it.Answer, "by": it.AnsweredBy})
		} else {
			tx.Log(name, nil)
		}
		refused = err
		return err
	})
	if refused != nil {
		return refused
	}
	if err != nil {
		return fmt.Errorf("writing the inbox: %w", err)
	}
	return nil
}

// Withdraw withdraws unanswered questions that are over, and tells people that they need not
// answer: the asker was killed, or continues without an answer.
func (i *Inbox) Withdraw(over func(questions.Item) bool) error {
	b, err := i.Book()
	if err != nil {
		return err
	}
	for _, it := range b.Withdraw(over) {
		gone := false
		err := i.edit("withdrawn", func(b *questions.Book) (*questions.Item, error) {
			gone = len(b.Withdraw(func(now questions.Item) bool { return now.ID == it.ID && over(now) })) > 0
			if !gone { // answered, or asked again, at this moment
				return nil, durable.ErrUnchanged
			}
			return &it, nil
		})
		if err != nil && !errors.Is(err, durable.ErrUnchanged) {
			return err
		}
		if gone && i.Settled != nil {
			i.Settled(it)
		}
	}
	return nil
}
