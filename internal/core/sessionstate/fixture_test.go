package sessionstate

import (
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/lossless"
)

var ten = time.Date(2025, 1, 10, 10, 0, 0, 0, time.UTC)

// at is so many minutes after ten.
func at(minutes int) time.Time { return ten.Add(time.Duration(minutes) * time.Minute) }

func loop(t testing.TB) *State {
	t.Helper()
	s, err := Begin(Beginning{Session: "myfeature"}, ten)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func pipeline(t testing.TB, names ...string) *State {
	t.Helper()
	b := Beginning{Session: "myrefine", Pipeline: "full-refine"}
	for _, n := range names {
		b.Stages = append(b.Stages, Stage{Name: n, Loop: n, Runs: 5})
	}
	s, err := Begin(b, ten)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// iterate runs one iteration of a stage.
func iterate(t testing.TB, s *State, stage int, r Row) {
	t.Helper()
	ok(t, s.StartStage(stage, ten))
	n, err := s.StartIteration(stage, ten)
	ok(t, err)
	r.Iteration = n
	ok(t, s.CompleteIteration(stage, r, budget.Amount{}, ten))
}

func printed(s *State) string { return string(lossless.AppendCompact(nil, lossless.Encode(s, nil))) }

func reread(t testing.TB, s *State) *State {
	t.Helper()
	out, _ := parsed(t, printed(s))
	return out
}

func parsed(t testing.TB, text string) (*State, *lossless.Value) {
	t.Helper()
	doc, err := lossless.Parse([]byte(text))
	ok(t, err)
	s := &State{}
	ok(t, lossless.Decode(doc, s))
	ok(t, Validate(s))
	return s, doc
}

// compact is a text of the documents without its white space and its last brace,
// as ours may come before that.
func compact(t testing.TB, text string) string {
	t.Helper()
	doc, err := lossless.Parse([]byte(text))
	ok(t, err)
	out := lossless.AppendCompact(nil, doc)
	return string(out[:len(out)-1])
}
