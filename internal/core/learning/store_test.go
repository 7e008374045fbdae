package learning

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// file is the text of learnings.jsonl with some rows.
func file(list []Learning) string {
	var b strings.Builder
	for _, l := range list {
		b.Write(l.Line())
	}
	return b.String()
}

func add(text []byte, list ...Learning) []byte {
	b := Read(text)
	b.Add(list)
	return b.Text()
}

func best(list []Learning) []Learning { return Read([]byte(file(list))).Best(Most) }

func said(session, stage string, iteration int, text string) Learning {
	return Learning{Timestamp: "2026-01-15T12:00:00Z", Session: session, Stage: stage, Began: "then", Task: session, Iteration: iteration, Type: Insight, Lesson: text, Pattern: text}
}

func TestTheSameLessonIsConfirmedAndNotAddedTwice(t *testing.T) {
	w := lesson("1.1", "the cache is per user", "a.go")
	w.Pattern, w.Workflow = w.Lesson, "w1"
	var text []byte
	for range 2 { // whatever is recorded again after a crash counts once
		for i, l := range []Learning{
			said("auth", "", 1, "Run make gen first."), said("auth", "", 2, "run  MAKE gen, first"), said("auth", "", 3, "something else"),
			said("night", "build", 1, "RUN make gen first!"), w, said("night", "", 2, "The cache: is per user?"),
		} {
			if i == 1 {
				l.Type, l.Files = Pattern, []string{"gen.go"}
			}
			text = add(text, l, l)
		}
	}
	all, bad := Read(text).Lessons(), Read(text).Bad()
	if bad != 0 || lessons(all) != "something else; Run make gen first.; the cache is per user" {
		t.Fatalf("%d: %s", bad, text)
	}
	gen := all[1]
	if gen.Confirmed != 2 || gen.Type != Pattern || gen.Session != "auth" || !slices.Equal(gen.Files, []string{"gen.go"}) || gen.LearnedBy() != "session auth" {
		t.Errorf("%+v", gen)
	}
	if c := all[2]; c.Confirmed != 1 || c.LearnedBy() != "workflow 1.1" {
		t.Errorf("a session confirms a workflow's: %+v", c)
	}
	again := said("auth", "", 1, "run make gen first")
	again.Began = "later"
	if all := Read(add(text, again)).Lessons(); all[2].Confirmed != 3 {
		t.Error("another session of the same name does not count")
	}
	avoid := w
	avoid.Type = Antipattern
	if all := Read(add(text, avoid)).Lessons(); len(all) != 4 {
		t.Error("what is to be avoided is taken for what is to be done")
	}
}

func TestTheStoreIsBounded(t *testing.T) {
	text := []byte("not ours\n")
	text = add(text, said("s", "", 1, "proved"), said("s", "", 1, "not proved"))
	text = add(text, said("s", "", 2, "proved"))
	var many []Learning
	for i := range 2*Most - 3 { // with "not ours" and three lines above, one too many
		many = append(many, said("s", "", i+3, fmt.Sprint("lesson ", i)))
	}
	text = add(text, many...)
	all, bad := Read(text).Lessons(), Read(text).Bad()
	if len(all) != Most || bad != 1 || bytes.Count(text, []byte("\n")) != Most+1 {
		t.Fatal(len(all), bad)
	}
	if all[0].Lesson != "proved" || all[0].Confirmed != 1 || all[1].Lesson != fmt.Sprint("lesson ", Most-2) || all[Most-1].Lesson != fmt.Sprint("lesson ", 2*Most-4) {
		t.Errorf("%+v %q %q", all[0], all[1].Lesson, all[Most-1].Lesson)
	}
}

// A lesson that every iteration repeats does not fill the file, and is confirmed as often all the
// same, once by each.
func TestARepeatedLessonDoesNotFillTheStore(t *testing.T) {
	text, most := []byte(nil), 0
	for i := range 300 {
		for range 2 { // what is recorded again after a crash does not count
			b := Read(text)
			b.Add([]Learning{{Session: "s", Iteration: i + 1, Lesson: "Check the borders", Type: Insight}})
			text = b.Text()
		}
		most = max(most, bytes.Count(text, []byte("\n")))
	}
	if l := Read(text).Lessons(); len(l) != 1 || l[0].Confirmed != 299 {
		t.Errorf("%+v", l)
	}
	if most > mostRepeated+1 {
		t.Errorf("%d lines for one lesson", most)
	}
}

func TestBest(t *testing.T) {
	all := []Learning{said("s", "", 1, "often"), said("s", "", 1, "twice"), said("s", "", 1, "old"), said("s", "", 1, "newer"), said("s", "", 1, "newest"), said("s", "", 1, "!?")}
	all[0].Confirmed, all[1].Confirmed = 5, 1
	failed := lesson("1.1", "this did not work: tests fail")
	failed.Type, failed.Pattern = Antipattern, failed.Lesson
	avoid := lesson("1.2", "a secret in the code")
	avoid.Type, avoid.Pattern = Antipattern, "use the environment"
	legacy := []Learning{said("s", "", 9, "old")} // one row for each time, as it was written before
	if got := lessons(best(slices.Concat(all, []Learning{failed, avoid}))); got != "often; a secret in the code; twice; newest; newer; old" {
		t.Error(got)
	}
	if got := best(slices.Concat(all, legacy)); got[1].Lesson != "old" || got[1].Confirmed != 1 {
		t.Errorf("%+v", got[1])
	}
	if got := avoid.Text(); got != "a secret in the code -> use the environment" {
		t.Error(got)
	}
	if got := said("s", "", 1, strings.Repeat("long words\n", 100)).Text(); len(got) > maxShown || strings.Contains(got, "\n") {
		t.Error(got)
	}
}

// Many writers add many lessons in any order: each lesson is there once, and what was
// added again is no news.
func TestAddHolds(t *testing.T) {
	one := rapid.Custom(func(t *rapid.T) Learning {
		return said(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session"), rapid.SampledFrom([]string{"", "x"}).Draw(t, "stage"), rapid.IntRange(1, 3).Draw(t, "iteration"),
			rapid.SampledFrom([]string{"one", "One.", "two", "three"}).Draw(t, "text"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		sayers := map[string]map[string]bool{}
		for _, l := range rapid.SliceOfN(one, 0, 30).Draw(t, "all") {
			text = add(text, l)
			if again := add(text, l); string(again) != string(text) {
				t.Fatalf("not the same again:\n%s\n%s", text, again)
			}
			if sayers[l.ID()] == nil {
				sayers[l.ID()] = map[string]bool{}
			}
			sayers[l.ID()][l.sayer()] = true
		}
		all, bad := Read(text).Lessons(), Read(text).Bad()
		if bad > 0 || len(all) != len(sayers) {
			t.Fatalf("%d of %d: %s", len(all), len(sayers), text)
		}
		for _, l := range all {
			if n := len(sayers[l.ID()]); n <= maxSayers && l.Confirmed != n-1 {
				t.Fatalf("%d sayers: %+v", n, l)
			}
		}
	})
}
