package quickstart

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/cli/drivecmd"
	"warp/internal/cli/settings"
	"warp/internal/cli/tracker"
	"warp/internal/engine/detect"
	"warp/internal/engine/gate"
	"warp/internal/sys/git"
	"warp/internal/ui/render"
)

// findTests finds the test command and runs it once, as a drive would.
func (s *setup) findTests(ctx context.Context) error {
	if s.o.tests != "" {
		if err := s.set(ctx, "test_command", s.o.tests); err != nil {
			return err
		}
	} else if s.have.TestCommand == "" {
		if known, err := s.proposeTests(ctx); err != nil || !known {
			return err
		}
	}
	if head, err := (git.Repo{Dir: s.drive.Root()}).Head(); s.o.noCheck || err != nil || head == "" {
		s.say("Tests", "not run")
		return err
	}
	s.say("Tests", "are run once…")
	p, err := drivecmd.OpenProver(ctx, s.app, s.drive)
	if err != nil {
		return err
	}
	r, err := p.Test(ctx)
	if err != nil {
		return err
	}
	s.green = r.OK() && !r.Red && !r.NotRun
	s.say("", "%s", render.Printable(gate.Describe(r.Tested)))
	if !r.Passed && r.Log != "" {
		s.say("", "the output is in %s", r.Log)
	}
	return nil
}

// proposeTests sets a test command where the files at the top imply none, or one without what the
// tests need. It says what it set: nothing else shows it.
func (s *setup) proposeTests(ctx context.Context) (known bool, err error) {
	p := detect.Propose(s.drive.Root())
	if !p.Certain {
		if detect.FindTests(detect.ReadProject(s.drive.Root())) != "" {
			return true, nil
		}
		if p.Why != "" {
			s.say("Tests", "%s", render.Printable(p.Why))
		}
		question := "Which command runs the tests?"
		if p.Tests == "" {
			question = "No test command was found. Which command runs the tests? (Enter: none)"
		}
		command, err := s.ask.line(ctx, question, p.Tests)
		if err != nil {
			return false, err
		}
		if command == "" {
			s.say("Tests", "none were found")
			s.left = append(s.left, "warp config set test_command 'COMMAND'    a drive needs tests to believe its work; then warp quickstart")
			return false, nil
		}
		if command != p.Tests {
			p.Tests, p.Setup = command, ""
		}
	}
	return true, s.setTests(ctx, p)
}

// setTests sets what was proposed, besides what is set already.
func (s *setup) setTests(ctx context.Context, p detect.Proposal) error {
	if p.Certain {
		s.say("Tests", "%s", render.Printable(p.Why))
	}
	if err := s.set(ctx, "test_command", p.Tests); err != nil {
		return err
	}
	if p.Setup != "" && s.have.WorktreeSetup == "" {
		if err := s.set(ctx, "worktree_setup", p.Setup); err != nil {
			return err
		}
		s.say("", "worktree_setup: %s (in the clean room)", render.Printable(p.Setup))
	}
	if p.Copy != "" && !slices.Contains(s.have.WorktreeCopy, p.Copy) {
		if err := s.set(ctx, "worktree_copy", append(slices.Clone(s.have.WorktreeCopy), p.Copy)...); err != nil {
			return err
		}
		s.say("", "worktree_copy: %s (in the clean room)", p.Copy)
	}
	return nil
}

var trackers = map[string]string{"local": "files under .claude/issues", "github": "GitHub", "gitea": "Gitea"}

// chooseTracker opens the tracker, and reports where the remote is.
func (s *setup) chooseTracker(ctx context.Context) error {
	if s.o.forge != "" {
		if err := s.set(ctx, "forge", s.o.forge); err != nil {
			return err
		}
	}
	t, err := tracker.Open(ctx, s.app, s.drive)
	if err != nil {
		return err
	}
	if _, err := t.User(ctx); err != nil {
		return fmt.Errorf("asking the tracker: %w", err)
	}
	s.tracker = t
	s.say("Tracker", "%s", trackers[t.Name()])
	remotes, err := git.Repo{Dir: s.drive.Root()}.Must(ctx, git.Call{Args: []string{"remote"}})
	if err != nil {
		return err
	}
	if names := strings.Fields(string(remotes)); len(names) > 0 {
		s.say("Remote", "%s", render.Printable(strings.Join(names, ", ")))
	} else {
		s.say("Remote", "none: everything stays on this machine")
	}
	return nil
}

var levels = map[int]string{2: "opens a pull request for you to merge", 3: "merges to the main branch"}

// chooseLevel sets the automation level. It recommends merging only if the tests pass and there
// is no server whose branches may be protected.
func (s *setup) chooseLevel(ctx context.Context) error {
	n := s.o.level
	switch {
	case n == 0 && s.have.Level != 0:
		n = s.have.Level
	case n == 0:
		recommended, why := "2", "the tests are not known to pass"
		if s.green {
			why = "others see the work before it is merged"
		}
		if s.green && s.tracker.Name() == "local" {
			recommended, why = "3", "the tests pass"
		}
		s.say("Level", "2 %s; 3 %s; recommended: %s (%s)", levels[2], levels[3], recommended, why)
		answer, err := s.ask.choose(ctx, "Which level?", []string{"2", "3"}, recommended)
		if err != nil {
			return err
		}
		n, _ = strconv.Atoi(answer) // one of the two
	}
	if n != s.have.Level {
		if err := s.do(ctx, settings.NewLevel, strconv.Itoa(n)); err != nil {
			return err
		}
	}
	s.say("Level", "%d: a drive %s", n, levels[n])
	return nil
}

func (s *setup) tellNotifications(context.Context) error {
	if s.have.Remote {
		s.say("Notifications", "on")
	} else {
		s.say("Notifications", "off (warp rdb on --help says how to get them)")
	}
	return nil
}
