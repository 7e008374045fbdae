package drive_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/core/trustledger"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// world is a dev environment that fails as often as it is told to.
type world struct {
	fails int
	sick  bool
	err   error
	ups   int
}

func (*world) Present() bool { return true }

func (w *world) Up(_ context.Context, progress func(string)) error {
	progress("starting")
	w.ups++
	if w.fails--; w.fails >= 0 {
		return w.err
	}
	w.sick = false
	return nil
}

func (w *world) Check(context.Context) error {
	if w.sick {
		return errors.New("the server is gone")
	}
	return nil
}

func (*world) SeedAdvice(changed []string) []string {
	return []string{"no seed for " + strings.Join(changed, " ")}
}

func TestTheDevEnvironmentIsHealed(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	w := &world{fails: 2, err: errors.New("port taken")}
	s.change = func(e *drive.Engine) { e.Dev = w }
	s.does = func(agent.Task) any { w.sick = true; return nil }
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if w.ups != 4 {
		t.Errorf("it was brought up %d times", w.ups)
	}
	s.says("dev: starting", "seed data: no seed for AC-01.txt", "the dev environment is unhealthy: the server is gone")
}

// Advice on seed data reaches the agent, once, and the report of the chunk.
func TestSeedAdviceReachesAgentAndReport(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.change = func(e *drive.Engine) { e.Dev = &world{} }
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what was asked", s.roles(), "code fix verify")
	if first := s.asked[0].Prompt; !strings.Contains(first, "add seed data for every new entity") || strings.Contains(first, "no seed for") {
		t.Errorf("%s", first)
	}
	if again := s.asked[1]; !strings.Contains(again.Prompt, "no seed for AC-01.txt") || again.Session != "s1" {
		t.Errorf("%+v", again)
	}
	s.told(1, "no seed for AC-01.txt")
	// Where it is not wanted, nobody hears of it.
	s = newScene(t, one)
	s.settings(map[string]any{"dev_seed_check": false})
	s.change = func(e *drive.Engine) { e.Dev = &world{} }
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify")
}

func TestADevEnvironmentThatStaysDownNeedsAPerson(t *testing.T) {
	for do, err := range map[string]error{"warp dev logs": errors.New("port taken"), "warp trust": &trustledger.Untrusted{}} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			w := &world{fails: 9, err: err}
			s.change = func(e *drive.Engine) { e.Dev = w }
			ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
			if !strings.Contains(ends[0].Do, do) {
				t.Errorf("%+v", ends[0])
			}
			w.fails = 0
			s.drive(drive.Options{Only: true}, evidence.Merged)
		})
	}
}
