package agenttest

import (
	"strings"
	"time"

	"warp/internal/engine/agent"
)

// limit is waited for until it ends, and then the same session goes on.
func limit(h *harness) {
	t := h.task()
	t.Until = h.scene.Reset
	r := h.run(t)
	h.want(r, agent.Done)
	if len(h.waited) != 1 || !strings.Contains(h.waited[0].why, "usage limit") {
		h.Fatalf("waited for %v", h.waited)
	}
	if want := h.scene.Reset; !want.IsZero() && !h.waited[0].until.Equal(want) {
		h.Errorf("waited until %v, want %v", h.waited[0].until, want)
	}
	if len(h.told) != 1 || !h.told[r.Session] {
		h.Errorf("the sessions were %v, the last %q: another one went on", h.told, r.Session)
	}
	if !strings.Contains(r.Text, Words) {
		h.Errorf("its words are %q", r.Text)
	}
}

// noLogin is nothing that waiting helps against. A person must be told what does.
func noLogin(h *harness) {
	r := h.run(h.task())
	h.want(r, agent.NoLogin)
	if len(h.waited) > 0 || r.Spends() {
		h.Errorf("waited for %v, spends: %v", h.waited, r.Spends())
	}
	if !strings.Contains(r.Why, "log in") {
		h.Errorf("it says %q and not what to do", r.Why)
	}
}

// hopeless faults are told apart: waiting does not help, and the agent is not to blame.
func hopeless(end agent.End) func(*harness) {
	return func(h *harness) {
		h.scene.Recover = nil
		t := h.task()
		t.Until = time.Now() // taken for a limit, it would be waited for
		r := h.run(t)
		h.want(r, end)
		if len(h.waited) > 0 || r.Spends() || r.Why == "" || r.Advice() == "" {
			h.Errorf("waited for %v, spends: %v, %q, %q", h.waited, r.Spends(), r.Why, r.Advice())
		}
	}
}

// retried faults are waited out as their class says.
func retried(class string) func(*harness) {
	return func(h *harness) {
		r := h.run(h.task())
		h.want(r, agent.Done)
		if len(h.waited) != 1 || !strings.HasSuffix(h.waited[0].why, ": "+class) {
			h.Errorf("waited for %v, want once for %s", h.waited, class)
		}
		if !strings.Contains(r.Text, Words) {
			h.Errorf("its words are %q", r.Text)
		}
	}
}
