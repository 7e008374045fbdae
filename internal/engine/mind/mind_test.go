package mind_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/mind"
)

// session plays the other side of a desk.
type session struct {
	*mind.Mind
	t       *testing.T
	now     time.Time
	living  map[int]string
	changed []bool // whether the tree has changed, look by look; then true
	tree    int
	used    agent.Usage
}

func newSession(t *testing.T) *session {
	s := &session{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), living: map[int]string{7: "then"}}
	s.Mind = &mind.Mind{
		Desk: mind.At(t.TempDir(), "/project"), Now: func() time.Time { return s.now },
		Started: func(pid int) (string, bool) { stamp, ok := s.living[pid]; return stamp, ok },
		Tree: func() string {
			if len(s.changed) == 0 || s.changed[0] {
				s.tree++
			}
			s.changed = s.changed[min(1, len(s.changed)):]
			return fmt.Sprint(s.tree)
		},
		Used: func(context.Context, string, time.Time) agent.Usage { return s.used },
	}
	if err := s.Open(mind.Board{Engine: durable.Process{PID: 1}, Mind: mind.Who{Session: "s1", PID: 7, Stamp: "then"}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// replies sends results, one for each turn that is wanted from the next on.
func (s *session) replies(results ...string) {
	board, _ := s.Desk.Read()
	go func() {
		for i, r := range results {
			for {
				b, ok := s.Desk.Read()
				if ok && b.Standing == mind.Wanting && b.Turn == board.Turn+i+1 {
					break
				}
			}
			if err := s.Desk.Send(mind.Reply{Turn: board.Turn + i + 1, Result: []byte(r)}); err != nil {
				s.t.Error(err)
			}
		}
	}()
}

func TestAReplyWithoutWorkIsSentBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		task    agent.Task
		replies []string
		changed []bool
		summary string
		invalid string
	}{
		{"done at once", agent.Task{Role: agent.Code}, []string{`{"summary":"x"}`}, nil, "x", ""},
		{"done without a word", agent.Task{Role: agent.Code}, []string{``}, nil, "", ""},
		{"done at last", agent.Task{Role: agent.Code}, []string{``, ``, ``}, []bool{true, false, false, true}, "", ""},
		{"never done", agent.Task{Role: agent.Code}, []string{``, ``, ``}, []bool{true, false, false, false}, "", "nothing has changed"},
		{"a plan at last", agent.Task{Role: agent.Plan, ReadOnly: true}, []string{``, `{"approach":7}`, `{"approach":"so"}`}, nil, "", ""},
		{"no verdict", agent.Task{Role: agent.Verify, ReadOnly: true}, []string{`{}`, `"no"`, `{"criteria":[{"id":"AC-01"}]}`}, nil, "", "criteria[0] lacks met"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t)
			s.changed = c.changed
			s.used = agent.Usage{Input: 5, Priced: true}
			s.replies(c.replies...)
			r, err := s.Run(t.Context(), c.task)
			if err != nil || r.End != agent.Done || r.Agent != "session" || r.Session != "s1" || r.Usage.Input != 5 {
				t.Errorf("%+v, %v", r, err)
			}
			if r.Text != c.summary || (c.invalid == "") != (r.Invalid == "") || !strings.Contains(r.Invalid, c.invalid) {
				t.Errorf("text %q, invalid %q", r.Text, r.Invalid)
			}
			b, _ := s.Desk.Read()
			if b.Wanted == nil {
				t.Error("an engine that is killed now would ask for it again")
			}
			s.Recorded()
			if b, _ = s.Desk.Read(); b.Standing != mind.Working || b.Wanted != nil {
				t.Errorf("the board still says %+v", b)
			}
		})
	}
}

func TestWhatEndsTheWaiting(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*session)
		task agent.Task
		end  agent.End
	}{
		{"the session ends", func(s *session) { delete(s.living, 7) }, agent.Task{}, agent.Away},
		{"its process is another's by now", func(s *session) { s.living[7] = "now" }, agent.Task{}, agent.Away},
		{"the desk is taken away", func(s *session) { _ = os.RemoveAll(s.Desk.Dir + "/board.json") }, agent.Task{}, agent.Away},
		{"the time is up", func(s *session) {}, agent.Task{Timeout: time.Minute}, agent.TimedOut},
		{"the budget is", func(s *session) { s.used = agent.Usage{Input: 100} }, agent.Task{Budget: budget.Amount{Tokens: 50}}, agent.Budgeted},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t)
			clock := s.Now
			looked := 0
			s.Mind.Now = func() time.Time {
				if looked++; looked == 3 { // it is on the board
					c.do(s)
				}
				if looked > 3 {
					s.now = s.now.Add(20 * time.Second)
				}
				return clock()
			}
			c.task.Role = agent.Code
			if r, err := s.Run(t.Context(), c.task); err != nil || r.End != c.end {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestWhatIsToldLateIsCountedWithTheNextTask(t *testing.T) {
	s := newSession(t)
	var told []int64
	for _, total := range []int64{5, 12, 0, 13} {
		s.used = agent.Usage{Input: total, MicroUSD: total, Priced: true}
		s.replies(`{"summary":"x"}`)
		r, err := s.Run(t.Context(), agent.Task{Role: agent.Code})
		if err != nil || r.Usage.MicroUSD != r.Usage.Input {
			t.Fatalf("%+v, %v", r, err)
		}
		told = append(told, r.Usage.Input)
	}
	if !slices.Equal(told, []int64{5, 7, 0, 1}) {
		t.Errorf("%v", told)
	}
}

// A question in the summary reaches no one: the session is told so at once.
func TestASummaryAsksNoOne(t *testing.T) {
	s := newSession(t)
	s.replies(`{"summary":"Done. Would you rather have a list?"}`, `{"summary":"Done."}`)
	r, err := s.Run(t.Context(), agent.Task{Role: agent.Code})
	if err != nil || r.JSON.Get("summary").Text() != "Done." {
		t.Errorf("%+v, %v", r, err)
	}
}

// What a session without a transcript used is not known.
func TestAnUnknownPriceIsNotNothing(t *testing.T) {
	s := newSession(t)
	s.used.Priced = true
	s.replies(`{"summary":"x"}`)
	if r, err := s.Run(t.Context(), agent.Task{Role: agent.Code}); err != nil || r.Usage.Priced {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnInterruptEndsTheWaiting(t *testing.T) {
	s := newSession(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := s.Run(ctx, agent.Task{Role: agent.Code}); !errors.Is(err, context.Canceled) || r.End != agent.Cancelled {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnotherSessionTakesTheDriveUp(t *testing.T) {
	s := newSession(t)
	var took []mind.Who
	s.Took = func(w mind.Who) error { took = append(took, w); return nil }
	s.living[8] = "later"
	if err := s.Desk.Call(mind.Who{Session: "s2", PID: 8, Stamp: "later"}); err != nil {
		t.Fatal(err)
	}
	delete(s.living, 7)
	s.replies(`{"summary":"x"}`)
	r, err := s.Run(t.Context(), agent.Task{Role: agent.Code})
	if err != nil || r.Session != "s2" || len(took) != 1 || took[0].Session != "s2" || s.Who().PID != 8 {
		t.Errorf("%+v, %v, %+v", r, err, took)
	}
}

func TestTheBoardSaysWhatGoesOn(t *testing.T) {
	s := newSession(t)
	s.Name("42", "Mail")
	s.Reach("phase testing")
	s.Doing("running the tests")
	hide := s.Ask(mind.Question{ID: "q1", Text: "Which?"})
	if b, _ := s.Desk.Read(); b.Standing != mind.Asking || b.Question.ID != "q1" || b.Issue != "42" || b.Where != "phase testing" || b.Doing != "running the tests" {
		t.Errorf("%+v", b)
	}
	hide()
	if err := s.Close(13, false); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.Desk.Read(); b.Standing != mind.Over || b.Code != 13 || b.Question != nil || b.Title != "Mail" {
		t.Errorf("%+v", b)
	}
	// What was wanted of an earlier engine is never replied to again.
	if err := s.Desk.Write(mind.Board{Turn: 9}); err != nil {
		t.Fatal(err)
	}
	if err := s.Open(mind.Board{}); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.Desk.Read(); b.Turn != 9 {
		t.Errorf("%+v", b)
	}
	if err := s.Desk.Show(mind.Seen{Engine: 1, Turn: 2, Read: 3}); err != nil || s.Desk.LastSeen() != (mind.Seen{Engine: 1, Turn: 2, Read: 3}) {
		t.Errorf("%v %+v", err, s.Desk.LastSeen())
	}
}
