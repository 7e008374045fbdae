package agenttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"warp/internal/engine/agent"
	"warp/internal/testkit/need"
)

func hang(h *harness) {
	t := h.task()
	t.Idle = h.scene.Idle
	r := h.run(t)
	if _, knows := h.scene.Adapter.Parser(t).(agent.Waiter); knows { // it is the API that hangs
		h.want(r, agent.Done)
		if len(h.waited) != 1 || !strings.HasSuffix(h.waited[0].why, ": timeout") {
			h.Errorf("waited for %v", h.waited)
		}
		return
	}
	h.want(r, agent.Idle)
	if !r.Spends() {
		h.Error("silence is not the agent's own failure")
	}
}

func crash(h *harness) {
	done := h.begin(h.Context(), h.task())
	pid := h.pid()
	// Every user of the machine can read the arguments.
	if argv, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil {
		for _, word := range []string{Secret, h.task().Prompt} {
			if bytes.Contains(argv, []byte(word)) {
				h.Errorf("%q is in the arguments: %q", word, argv)
			}
		}
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		h.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		h.Fatal(err)
	}
	r := <-done
	if r.err != nil {
		h.Fatal(r.err)
	}
	h.want(r.Result, agent.Crashed)
	if !r.Spends() || r.Exit == 0 || r.JSON != nil || strings.HasSuffix(strings.TrimSpace(r.Why), ":") {
		h.Errorf("%+v", r.Result)
	}
}

func cancelled(h *harness) {
	ctx, cancel := context.WithCancel(h.Context())
	defer cancel()
	done := h.begin(ctx, h.task())
	cancel()
	r := <-done
	if !errors.Is(r.err, context.Canceled) {
		h.Errorf("the error is %v", r.err)
	}
	h.want(r.Result, agent.Cancelled)
	if r.Spends() || len(h.waited) > 0 {
		h.Errorf("spends: %v, waited %v", r.Spends(), h.waited)
	}
}

// leaves is about a process that is in no group of ours; nothingLeft looks for it.
func leaves(h *harness) {
	need.Linux(h)
	r := h.run(h.task())
	h.want(r, agent.Done)
	if !h.made() {
		h.Error("the child was never there")
	}
}

func holds(h *harness) {
	r := h.run(h.task())
	h.want(r, agent.Done)
}
