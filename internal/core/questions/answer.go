package questions

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/text"
)

// What happens to a question that no person answers in time.
const (
	TakeDefault = "default" // the asker continues with the question's default, if it has one
	GiveUp      = "give_up" // the asker continues without an answer
	KeepWaiting = "wait"    // there is no deadline
)

// ByDefault is recorded as the answerer when no person answered.
const ByDefault = "default (unattended)"

// UnknownError means that there is no such question.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no question %q; warp inbox lists them", e.ID)
}

// UsedError means that an answer is too late: the asker works with another.
type UsedError struct{ Item Item }

func (e *UsedError) Error() string {
	i := e.Item
	return fmt.Sprintf("%s was already answered by %s (%s), and used by %s at %s", i.ID, i.AnsweredBy, i.Answer, i.TakenBy, i.TakenAt)
}

// OptionError means that an answer is not one of the options.
type OptionError struct {
	Item Item
	Said string
	many bool // it is a prefix of several
}

func (e *OptionError) Error() string {
	why := "is not an option of"
	if e.many {
		why = "could mean several options of"
	}
	var list []string
	for n, o := range e.Item.Options {
		list = append(list, fmt.Sprintf("%d (%s)", n+1, o))
	}
	return fmt.Sprintf("%q %s %s; choose %s", text.Clip(e.Said, maxOption), why, e.Item.ID, strings.Join(list, " or "))
}

// other introduces a free answer to a question with options.
const other = "other:"

// InOwnWords marks an answer as free text.
func InOwnWords(said string) string { return other + " " + said }

// Choose reads what a person typed: an option, its number, or a prefix of only one option; an empty
// text means the default. An option that is itself a number takes precedence over the option with
// that number. Other words count only without options, or after "other:" ("3", typed for two
// options, was once taken as an answer).
func (i *Item) Choose(said string) (string, error) {
	said = strings.TrimSpace(said)
	if said == "" && i.Default != "" {
		return i.Default, nil
	}
	var begun []string
	for _, o := range i.Options {
		if strings.EqualFold(o, said) {
			return o, nil
		}
		if said != "" && strings.HasPrefix(strings.ToLower(o), strings.ToLower(said)) {
			begun = append(begun, o)
		}
	}
	if n, err := strconv.Atoi(said); err == nil && n >= 1 && n <= len(i.Options) {
		return i.Options[n-1], nil
	}
	if len(begun) == 1 {
		return begun[0], nil
	}
	own, isOwn := cutOther(said)
	switch {
	case own == "":
		return "", fmt.Errorf("%s: the answer is empty", i.ID)
	case !isOwn && len(i.Options) > 0:
		return "", &OptionError{*i, said, len(begun) > 1}
	}
	return text.Clip(own, maxText), nil
}

func cutOther(said string) (own string, is bool) {
	if len(said) >= len(other) && strings.EqualFold(said[:len(other)], other) {
		return strings.TrimSpace(said[len(other):]), true
	}
	return said, false
}

// Answer records what a person said. It replaces an earlier answer that the asker has not taken
// yet.
func (b *Book) Answer(id, said, by string, now time.Time) (*Item, error) {
	it := b.Find(id)
	switch {
	case it == nil:
		return nil, &UnknownError{id}
	case it.Taken:
		return it, &UsedError{*it}
	}
	answer, err := it.Choose(said)
	if err != nil {
		return it, err
	}
	if it.Was = ""; it.Answered() {
		if it.Answer == answer {
			return it, nil
		}
		it.Was = it.Answer
	}
	it.Late = it.isPast(now) || it.Defaulted != ""
	it.Answer, it.AnsweredBy, it.AnsweredAt = answer, text.Clip(by, maxOption), stamp(now)
	return it, nil
}

// Take marks an item as used by the asker.
func (b *Book) Take(id string, now time.Time) {
	if it := b.Find(id); it != nil && !it.Taken {
		it.Taken, it.TakenAt, it.TakenBy = true, stamp(now), it.asker()
	}
}

// asker describes who asked, for people.
func (i *Item) asker() string {
	switch {
	case i.AskedBy == Agent && i.Session != "":
		return "the agent session " + i.Session
	case i.Issue != "":
		return "the work on #" + i.Issue
	case i.Title != "":
		return "the " + strings.ToLower(i.Title)
	}
	return "the " + i.AskedBy
}

// TakeDefault records that the asker continues with a question's default. A person can still
// answer: that counts when the work is resumed. It returns the item as the asker sees it.
func (b *Book) TakeDefault(id string, now time.Time) Item {
	it := b.Find(id)
	if it == nil {
		return Item{}
	}
	it.Defaulted = stamp(now)
	seen := *it
	seen.Answer, seen.AnsweredBy, seen.AnsweredAt = it.Default, ByDefault, it.Defaulted
	return seen
}

// AnswersFile lists the sessions of this work tree with a waiting answer, one per line: a hook
// checks it on every tool call, so that must be cheap. It is relative to the project's root.
const AnswersFile = ".claude/state/answers"

// FormatAnswers formats the answers to a session's questions. They are a person's words about the project,
// not orders of the system.
func FormatAnswers(items []Item) string {
	var b strings.Builder
	for _, i := range items {
		fmt.Fprintf(&b, "your question %s was answered (%s): %q -> %s\n", i.ID, text.VisibleLine(i.AnsweredBy), text.VisibleLine(text.Clip(i.Question, 300)), text.VisibleLine(text.Clip(i.Answer, 1000)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
