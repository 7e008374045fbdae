package questions

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAnAnswerIsAnOptionItsNumberOrItsBeginning(t *testing.T) {
	for said, want := range map[string]string{
		"postgres": "postgres", "POSTGRES": "postgres", "2": "postgres", " 1 ": "sqlite", "": "sqlite", "p": "postgres", "Sql": "sqlite",
		"other: neither of them": "neither of them", "Other:3": "3", InOwnWords("3"): "3",
	} {
		var b Book
		id := b.Ask(question("which?"), noon, time.Minute).ID
		if it, err := b.Answer(id, said, "ann", noon); err != nil || it.Answer != want {
			t.Errorf("%q: %q, %v, want %q", said, it.Answer, err, want)
		}
	}
	var b Book
	id := b.Ask(Question{By: Agent, Text: "how many?", Options: []string{"2", "1", "10 of them", "100 of them"}}, noon, time.Minute).ID
	for said, want := range map[string]string{"1": "1", "3": "10 of them", "10 ": "", "100": "100 of them"} {
		if got, err := b.Find(id).Choose(said); got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v, want %q", said, got, err, want)
		}
	}
	id = b.Ask(Question{By: Agent, Text: "what?"}, noon, time.Minute).ID
	if got, err := b.Find(id).Choose("3 of them"); err != nil || got != "3 of them" {
		t.Errorf("words count where there are no options: %q, %v", got, err)
	}
}

func TestAnAnswerOutsideTheOptionsIsRefused(t *testing.T) {
	for said, want := range map[string]string{
		"4": `"4" is not an option of q1; choose 1 (sqlite) or 2 (postgres) or 3 (spanner)`, "0": "not an option", "neither": "not an option",
		"s": `"s" could mean several options of q1`, "other:": "empty", " other: ": "empty",
	} {
		var b Book
		q := question("which?")
		q.Options = append(q.Options, "spanner")
		b.Ask(q, noon, time.Minute)
		if it, err := b.Answer("q1", said, "ann", noon); err == nil || !strings.Contains(err.Error(), want) || it.Answered() {
			t.Errorf("%q: %v, want %q", said, err, want)
		}
	}
	var b Book
	id := b.Ask(Question{By: Agent, Text: "what?"}, noon, time.Minute).ID
	if _, err := b.Answer(id, " ", "ann", noon); err == nil || b.Find(id).Answered() {
		t.Error("an empty answer without a default was taken")
	}
	var unknown *UnknownError
	if _, err := b.Answer("q9", "x", "ann", noon); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

func TestAnAnswerCanBeChangedUntilItIsUsed(t *testing.T) {
	var b Book
	b.Ask(question("which?"), noon, time.Minute)
	for _, step := range []struct{ id, said, by, answer, was, answeredBy string }{
		{"q1", "1", "ann", "sqlite", "", "ann"},
		{"Q1", "2", "bob", "postgres", "sqlite", "bob"},
		{"1", "postgres", "ann", "postgres", "", "bob"}, // the same again is no change
	} {
		it, err := b.Answer(step.id, step.said, step.by, noon)
		if err != nil || it.Answer != step.answer || it.Was != step.was || it.AnsweredBy != step.answeredBy {
			t.Errorf("%+v: %+v, %v", step, it, err)
		}
	}
	b.Take("q1", noon.Add(time.Second))
	b.Take("q1", noon.Add(time.Hour)) // it was used once
	var used *UsedError
	_, err := b.Answer("q1", "1", "ann", noon)
	if !errors.As(err, &used) || err.Error() != "q1 was already answered by bob (postgres), and used by the work on #42 at 2026-03-01T12:00:01.000Z" {
		t.Error(err)
	}
}

// A default that was taken for want of an answer is the asker's; a person still decides.
func TestADefaultThatWasTakenCanBeChanged(t *testing.T) {
	var b Book
	b.Ask(question("which?"), noon, 0)
	seen := b.TakeDefault("q1", noon)
	if seen.Answer != "sqlite" || seen.AnsweredBy != ByDefault || b.Items[0].State(noon) != "defaulted" || len(b.Pending()) != 1 {
		t.Errorf("%+v %+v", seen, b.Items[0])
	}
	if late := b.Late("42", 2); len(late) != 0 {
		t.Errorf("no person has answered: %+v", late)
	}
	if it, err := b.Answer("q1", "postgres", "ann", noon); err != nil || !it.Late || it.Was != "" {
		t.Error(it, err)
	}
	if late := b.Late("42", 2); len(late) != 1 || late[0].Answer != "postgres" {
		t.Errorf("%+v", late)
	}
}

func TestAQuestionWithoutADeadlineIsNeverOverdue(t *testing.T) {
	var b Book
	b.Ask(question("which?"), noon, Forever)
	far := noon.Add(10_000 * time.Hour)
	if b.Items[0].Overdue(far) || b.Items[0].State(far) != "pending" {
		t.Errorf("%+v", b.Items[0])
	}
	if it, err := b.Answer("q1", "1", "ann", far); err != nil || it.Late {
		t.Error(it, err)
	}
}
