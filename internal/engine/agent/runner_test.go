//go:build unix

package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/agent/program"
	"warp/internal/core/errorclass"
	"warp/internal/engine/agent"
)

func TestALimitIsWaitedForAndTheSameSessionGoesOn(t *testing.T) {
	reset := begin.Add(3 * time.Hour)
	p := newPlace(t, teller{"a", once(fmt.Sprintf("echo session s1; echo limit %d; exit 1", reset.Unix()), `echo "session $SESSION"; echo "went on with $SESSION"`)})
	r := p.run(t, p.task())
	if r.End != agent.Done || r.Text != "went on with s1" || r.Session != "s1" {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(p.waits, []string{"3h0m0s a: usage limit"}) {
		t.Errorf("waited %q", p.waits)
	}
}

func TestALimitThatDoesNotSayWhenItEnds(t *testing.T) {
	for name, c := range map[string]struct{ limit, want string }{
		"not told": {"0", "15m0s a: usage limit, its end is unknown"},
		"past":     {fmt.Sprint(begin.Add(-time.Second).Unix()), "1m0s a: usage limit, its end has just passed"},
	} {
		p := newPlace(t, teller{"a", once("echo limit "+c.limit, "echo fine")})
		if r := p.run(t, p.task()); r.End != agent.Done || !slices.Equal(p.waits, []string{c.want}) {
			t.Errorf("%s: %q, waited %q", name, r.End, p.waits)
		}
	}
}

// Limits are waited for as long as the work has time, and no longer.
func TestALimitThatNeverEndsIsGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		says  string
		until time.Duration
		end   agent.End
		runs  int
	}{
		"a night":            {"limit 0", 0, agent.Limited, 8*4 + 1},
		"an hour":            {"limit 0", time.Hour, agent.Limited, 4 + 1},
		"overloaded":         {"api rate_limit", time.Hour, agent.APIError, 7 + 1}, // after 1, 2, 4, 8 and three times 15 minutes
		"it ends far beyond": {fmt.Sprintf("limit %d", begin.Add(5*24*time.Hour).Unix()), time.Hour, agent.Limited, 1},
	} {
		p := newPlace(t, teller{"a", "echo x >> runs; echo " + c.says})
		task := p.task()
		if c.until > 0 {
			task.Until = begin.Add(c.until)
		}
		r := p.run(t, task)
		if n := len(p.counted(t, "runs")); r.End != c.end || n != c.runs {
			t.Errorf("%s: %q after %d runs, want %d", name, r.End, n, c.runs)
		}
		if r.Spends() || r.Advice() == "" || !strings.Contains(r.Why, "waits for limits only until") {
			t.Errorf("%s: spends %v, %q, %q", name, r.Spends(), r.Why, r.Advice())
		}
	}
}

// The API is overloaded for an hour: the same session answers in the end.
func TestAnOverloadedAPIIsWaitedOut(t *testing.T) {
	p := newPlace(t, teller{"a", `echo x >> runs; echo session s1; if [ $(wc -l < runs) -lt 8 ]; then echo api rate_limit; else echo "fine, $SESSION"; fi`})
	r := p.run(t, p.task())
	if r.End != agent.Done || r.Text != "fine, s1" || p.now.Sub(begin) != time.Hour {
		t.Errorf("%+v after %v, waited %q", r, p.now.Sub(begin), p.waits)
	}
}

// silent is an agent that knows that it waits for its model.
type silent struct {
	teller
	class errorclass.Class
}

type waiting struct {
	told
	class errorclass.Class
}

func (a silent) Parser(agent.Task) agent.Parser { return &waiting{class: a.class} }
func (w *waiting) Waits() errorclass.Class      { return w.class }

// A stream that hangs is not the agent's fault, a command of its own that hangs is.
func TestAHungStreamIsNotTheAgentsFault(t *testing.T) {
	for class, want := range map[errorclass.Class]struct {
		end    agent.End
		spends bool
		runs   int
	}{
		errorclass.Timeout:   {agent.APIError, false, 3},
		errorclass.RateLimit: {agent.APIError, false, 2},
		errorclass.None:      {agent.Idle, true, 1},
	} {
		p := newPlace(t, silent{teller{"a", "echo x >> runs; exec sleep 1000"}, class})
		task := p.task()
		task.Idle, task.Until = 50*time.Millisecond, begin.Add(2*time.Minute)
		r := p.run(t, task)
		if r.End != want.end || r.Spends() != want.spends || r.Class != class || len(p.counted(t, "runs")) != want.runs {
			t.Errorf("%q: %+v after %d runs", class, r, len(p.counted(t, "runs")))
		}
		if (r.Advice() == "") != want.spends {
			t.Errorf("%q: %q", class, r.Advice())
		}
	}
}

func TestErrorsAreRetriedAsTheirClassSays(t *testing.T) {
	for class, want := range map[string][]string{
		"network":    {"30s", "1m0s", "2m0s"},
		"timeout":    {"0s", "0s"},
		"resource":   {"1m0s", "1m0s"},
		"permission": nil,
		"unknown":    nil,
	} {
		p := newPlace(t, teller{"a", "echo x >> runs; echo session s; echo api " + class})
		r := p.run(t, p.task())
		if r.End != agent.APIError || len(p.counted(t, "runs")) != len(want)+1 {
			t.Errorf("%s: %q after %d runs", class, r.End, len(p.counted(t, "runs")))
		}
		for i := range want {
			want[i] += " a: " + class
		}
		if !slices.Equal(p.waits, want) {
			t.Errorf("%s: waited %q", class, p.waits)
		}
	}
}

func TestTheAgentsOwnFailureIsNotRetried(t *testing.T) {
	p := newPlace(t, teller{"a", "echo x >> runs; echo sorry >&2; exit 3"}, teller{"b", "echo x >> runs"})
	r := p.run(t, p.task())
	if r.End != agent.Crashed || r.Exit != 3 || !r.Spends() || len(p.counted(t, "runs")) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestTheChainIsFallenBackOn(t *testing.T) {
	none := program.New(program.Options{Argv: []string{"/no/such/program"}})
	answer := teller{"b", `echo "b was asked, session [$SESSION]"`}
	for name, first := range map[string]agent.Adapter{
		"not installed": none, "not set up": program.New(program.Options{}),
		"limited": teller{"a", "echo session s; echo limit 0"},
		"failing": teller{"a", "echo session s; echo api permission"},
	} {
		p := newPlace(t, first, answer)
		task := p.task()
		task.Session = "of another"
		r := p.run(t, task)
		if r.End != agent.Done || r.Agent != "b" || r.Text != "b was asked, session []" || len(p.waits) > 0 {
			t.Errorf("%s: %+v, waited %q", name, r, p.waits)
		}
	}
	p := newPlace(t, none)
	if r := p.run(t, p.task()); r.End != agent.NoAgent || r.Spends() || !strings.Contains(r.Why, "install") {
		t.Errorf("none at all: %+v", r)
	}
}

// An overloaded agent is asked again a few times, then another one.
func TestAnOverloadedAgentIsReplaced(t *testing.T) {
	p := newPlace(t, teller{"a", "echo api rate_limit"}, teller{"b", "echo fine"})
	if r := p.run(t, p.task()); r.Agent != "b" || r.End != agent.Done || len(p.waits) != 3 {
		t.Errorf("%+v, waited %q", r, p.waits)
	}
	// Where that one cannot work, the first is waited for.
	p = newPlace(t, teller{"a", `echo x >> runs; if [ $(wc -l < runs) -lt 9 ]; then echo api rate_limit; else echo fine; fi`}, teller{"b", "echo api permission"})
	if r := p.run(t, p.task()); r.Agent != "a" || r.End != agent.Done {
		t.Errorf("%+v, waited %q", r, p.waits)
	}
}

// Where the others cannot work at all, a limit is worth waiting for.
func TestALimitIsWaitedForWhenNobodyElseIsThere(t *testing.T) {
	reset := begin.Add(time.Hour)
	limited := teller{"a", `echo "[$SESSION]" >> runs; if [ $(wc -l < runs) -lt 3 ]; then ` + fmt.Sprintf("echo session s1; echo limit %d", reset.Unix()) + `; else echo fine; fi`}
	p := newPlace(t, limited, program.New(program.Options{Argv: []string{"/no/such/program"}}))
	r := p.run(t, p.task())
	if r.End != agent.Done || r.Agent != "a" || r.Text != "fine" {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(p.waits, []string{"1h0m0s a: usage limit"}) || !slices.Equal(p.counted(t, "runs"), []string{"[]", "[s1]", "[s1]"}) {
		t.Errorf("waited %q, sessions %q", p.waits, p.counted(t, "runs"))
	}
}

func TestNobodyIsAskedWithoutAChain(t *testing.T) {
	p := newPlace(t)
	if r := p.run(t, p.task()); r.End != agent.NoAgent || r.Why == "" {
		t.Errorf("%+v", r)
	}
}

func TestAStopDuringAWait(t *testing.T) {
	p := newPlace(t, teller{"a", "echo usage 7; echo limit 0"})
	ctx, cancel := context.WithCancel(t.Context())
	p.Wait = func(ctx context.Context, _ time.Time, _ string) error { cancel(); return ctx.Err() }
	r, err := p.Run(ctx, p.task())
	if !errors.Is(err, context.Canceled) || r.End != agent.Cancelled || r.Usage.Input != 7 {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestTimeIsUp(t *testing.T) {
	p := newPlace(t, teller{"a", "exec sleep 1000"})
	task := p.task()
	task.Timeout = 50 * time.Millisecond
	if r := p.run(t, task); r.End != agent.TimedOut || !r.Spends() {
		t.Errorf("%+v", r)
	}
}

// The settings name a model for a role of the configured agent; a task's own goes first,
// and an agent to fall back on does not get another agent's model.
func TestModelAndEffortOfARole(t *testing.T) {
	const says = `echo "$MODEL, $EFFORT"`
	p := newPlace(t, teller{"a", says}, teller{"b", says})
	model := map[agent.Role]string{agent.Code: "opus"}
	p.Preset = func(name string, role agent.Role) (string, string) {
		if name != "a" {
			return "", "high"
		}
		return model[role], "high"
	}
	for _, c := range []struct {
		change func(*agent.Task)
		want   string
	}{
		{func(*agent.Task) {}, "opus, high"},
		{func(t *agent.Task) { t.Model, t.Effort = "mine", "low" }, "mine, low"},
		{func(t *agent.Task) { t.Role = agent.Verify }, ", high"},
	} {
		task := p.task()
		c.change(&task)
		if r := p.run(t, task); r.Text != c.want {
			t.Errorf("%q, want %q", r.Text, c.want)
		}
	}
	reset := begin.Add(time.Hour)
	p.Adapters[0] = teller{"a", fmt.Sprintf("echo limit %d; exit 1", reset.Unix())}
	if r := p.run(t, p.task()); r.Agent != "b" || r.Text != ", high" {
		t.Errorf("falling back: %+v", r)
	}
}
