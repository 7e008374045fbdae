package drive_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/conductor"
	"warp/internal/engine/policy/drive"
)

// conducted has the engines of a scene conducted over pipes in memory. The questions are
// kept.
func (s *scene) conducted(may func(conduct.Say) conduct.Reply) (asked *[]conduct.Say, last func() *drive.Engine) {
	s.Helper()
	asked = &[]conduct.Say{}
	var engine *drive.Engine
	before := s.change
	s.change = func(e *drive.Engine) {
		if before != nil {
			before(e)
		}
		replies, in := io.Pipe()
		said, out := io.Pipe()
		s.Cleanup(func() { _ = in.Close(); _ = said.Close() })
		e.Conductor = conductor.Open(replies, out, func() {})
		e.Agents.LongestWait = time.Minute
		engine = e
		go func() {
			for lines := bufio.NewScanner(said); lines.Scan(); {
				var say conduct.Say
				if json.Unmarshal(lines.Bytes(), &say) != nil || say.Serial == 0 {
					continue
				}
				s.mu.Lock()
				*asked = append(*asked, say)
				s.mu.Unlock()
				r := may(say)
				r.Serial = say.Serial
				line, _ := json.Marshal(r)
				if _, err := in.Write(append(line, '\n')); err != nil {
					return
				}
			}
		}()
	}
	return asked, func() *drive.Engine { return engine }
}

// A run is stopped at what the fleet allowed for its phase. The phase is asked for again,
// and goes on with what is allowed then: no budget of the drive's own is spent.
func TestAnAllowanceOfAPhase(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	runs := 0
	var budgets []int64
	s.does = func(task agent.Task) any {
		if task.Role != agent.Code {
			return nil
		}
		runs++
		budgets = append(budgets, task.Budget.MicroUSD)
		if runs == 1 {
			return agent.Result{End: agent.Budgeted, Why: "the budget was reached during the run", Usage: agent.Usage{Input: 5, MicroUSD: 61, Priced: true}}
		}
		return nil
	}
	coding := 0
	asked, _ := s.conducted(func(say conduct.Say) conduct.Reply {
		r := conduct.Reply{Go: true}
		if say.Kind == conduct.Phase && say.Phase == "coding" {
			coding++
			r.MicroUSD = map[int]int64{1: 50, 2: 5_000}[coding]
		}
		return r
	})
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if coding != 3 || runs != 2 || budgets[0] != 50 || budgets[1] != 5_000 {
		t.Errorf("coding was asked for %d times, its runs could spend %v\n%s", coding, budgets, s.log())
	}
	var spent []int64
	for _, say := range *asked {
		if say.Kind == conduct.Phase && say.Agent && say.Phase == "coding" {
			spent = append(spent, say.MicroUSD)
		}
	}
	// The verifier of the second asks again; what it uses itself may have been shown by then.
	if len(spent) != 3 || spent[0] != 0 || spent[1] != 61 || spent[2] < 10_061 || spent[2] > 20_061 {
		t.Errorf("it said that it had spent %v", spent)
	}
}

// A limit of the account ends a conducted drive, so that another account can go on. A short
// one is waited for.
func TestALimitEndsAConductedDrive(t *testing.T) {
	t.Parallel()
	reset := time.Now().Add(3 * time.Hour).Truncate(time.Second)
	s := newScene(t, one)
	passed := s.clocked()
	runs := 0
	s.does = func(agent.Task) any {
		if runs++; runs == 1 {
			return overloaded
		}
		return agent.Result{End: agent.Limited, Why: "you've hit your limit", Reset: reset}
	}
	_, last := s.conducted(func(conduct.Say) conduct.Reply { return conduct.Reply{Go: true} })
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	limit := last().Limited()
	if limit == nil || limit.Until != reset.UTC().Format(time.RFC3339) || limit.Text != "you've hit your limit" {
		t.Errorf("%+v, %+v", limit, ends)
	}
	if runs != 2 || passed() == 0 || passed() > time.Minute {
		t.Errorf("%d runs, and %v passed", runs, passed())
	}
	s.does = nil
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if last().Limited() != nil {
		t.Error("it still has a limit")
	}
}

// What is refused in the middle of a question is asked again, and nothing is made of the
// answer that did not come.
func TestAQuestionThatIsRefused(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.does = func(task agent.Task) any {
		if task.Role == agent.Code && !strings.Contains(task.Prompt, "red") {
			return map[string]any{"decision": map[string]any{"question": "which colour?", "options": []string{"red", "blue"}, "default": "blue"}}
		}
		return nil
	}
	refuse := true
	_, last := s.conducted(func(say conduct.Say) conduct.Reply {
		return conduct.Reply{Go: say.Kind != conduct.Question || !refuse, Why: "the worker leaves", Answer: "red", By: "ann"}
	})
	before := s.change
	s.change = func(e *drive.Engine) {
		before(e)
		e.Ask = func(ctx context.Context, q drive.Question) (drive.Answer, bool) {
			r, err := last().Conductor.Ask(ctx, conduct.Say{Kind: conduct.Question, Ask: &conduct.Ask{Text: q.Text}})
			return drive.Answer{Text: r.Answer, By: r.By}, err == nil
		}
	}
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Stopped)
	if ends[0].Why != "the fleet does not let it continue: the worker leaves" || len(s.book().Decisions) > 0 {
		t.Errorf("%+v, %+v", ends, s.book().Decisions)
	}
	s.filed("todo")
	refuse = false
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if d := s.book().Decisions; len(d) != 1 || d[0].Row.Answer != "red" || d[0].Row.By != "ann" {
		t.Errorf("%+v", d)
	}
}
