package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// What was green in the work tree of a member may be red where it is brought to: the
// checks are run there before the stage is complete.
func TestAChoiceIsCheckedWhereItIsBroughtTo(t *testing.T) {
	const verified = "commands: {test: \"test ! -e block\"}\nstages: [{id: both, runs: 1, prompt: x, verify: [test], parallel: {agents: [{agent: fake, id: one}, {agent: fake, id: two}], judge: {agent: fake}}}]"
	for _, c := range []struct{ block, want string }{{"block", "failed verify"}, {"harmless", "complete max_iterations"}} {
		p := newYard(t, chooses)
		e := p.engine()
		e.Passed = func(point string) {
			if point == "gathered" { // a person, meanwhile
				p.write(c.block, "x")
			}
		}
		s, err := e.Run(t.Context(), p.stages(verified))
		if err != nil {
			t.Fatal(err)
		}
		p.wants(came(s), c.want)
	}
}

// loggedOut is an agent that is installed, and says that nobody is logged in.
type loggedOut struct{ *yard }

func (loggedOut) CheckInstalled() error { return nil }
func (loggedOut) CheckLogin(context.Context) error {
	return &agent.MissingError{Why: "claude: nobody is logged in; log in: claude auth login"}
}

func TestAMissingLoginIsFoundBeforeAnythingIsBegun(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return more })
	e := p.engine()
	e.Agents = func(string) (step.Agents, error) { return loggedOut{p}, nil }
	_, err := e.Run(t.Context(), p.loop("runs", "1"))
	var stopped *step.StoppedError
	if !errors.As(err, &stopped) || stopped.Why != "no agent can be started: claude: nobody is logged in; log in: claude auth login" {
		t.Error(err)
	}
	_, began := os.Stat(p.root + "/.claude/pipeline-runs")
	p.wants(fmt.Sprint(len(p.asked), errors.Is(began, os.ErrNotExist)), "0 true")
}
