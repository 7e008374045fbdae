package drive_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/testkit/need"
)

// kill runs an engine until the n-th time that it passes a point, where it stops
// for ever, as a killed process does. It tells whether it got there.
func (s *scene) kill(o drive.Options, point string, n int) bool {
	s.Helper()
	e := s.engine(o)
	dead, done := make(chan bool), make(chan error, 1)
	next := e.Passed
	e.Passed = func(p string) {
		next(p)
		if p == point {
			if n--; n == 0 {
				close(dead)
				select {}
			}
		}
	}
	go func() { _, err := e.Run(context.Background()); done <- err }()
	select {
	case <-dead:
		// The turn of a process that is killed ends with it, that of a goroutine does not.
		for _, pattern := range []string{".git/warp/turn.lock", ".git/worktrees/*/warp/turn.lock"} {
			locks, err := filepath.Glob(filepath.Join(s.root, pattern))
			s.must(err)
			for _, lock := range locks {
				s.must(os.Remove(lock))
			}
		}
		return true
	case err := <-done:
		s.must(err)
		return false
	}
}

// crashes are points of a drive of two chunks with a remote, in which it dies. A sample, one for
// each thing that could be done twice; make crash has all.
var crashes = need.Sample([]string{"taken", "chunks_defined", "agent ended code", "ticked", "committed in git", "pushed", "target moved", "closing comment", "left"},
	"init", "labels", "branch", "planned", "plan filed", "ran code", "verified", "code_complete", "tested chunk", "commit recorded", "filed report", "report_filed",
	"tested final", "merge_ready", "target pushed", "merged in git", "closed", "outcome", "merged", "filed summary")

// Whatever dies where, the next engine does the rest, and nothing twice.
func TestADriveThatDiesIsGoneOnWith(t *testing.T) {
	for _, point := range crashes {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, four).withRemote()
			s.settings(map[string]any{"max_acs_per_commit": 2})
			if !s.kill(drive.Options{Issue: "1"}, point, 1) {
				t.Fatalf("it was never there: %q", s.points)
			}
			ends, err := s.engine(drive.Options{Only: point != "left"}).Run(t.Context())
			s.must(err)
			if last := ends[len(ends)-1]; last.Result != evidence.Merged {
				t.Fatalf("%+v\n%s", ends, s.log())
			}
			s.want("the commits", s.sh("git log --format=%s main; git -C ../origin.git log -1 --format=%s main"),
				"feat: Thing 1 (#1, part 2 of 2)\nfeat: Thing 1 (#1, part 1 of 2)\nchore: begin\nfeat: Thing 1 (#1, part 2 of 2)")
			s.filed("warp-drive")
			s.told(1, "**Merged", "report #1.1 ", "report #1.2 ", "- **AC-04** met")
			again := 0
			if point == "agent ended code" { // what it said is lost, what it did is not
				again = 1
			}
			if n := len(s.asked); n > 5+again {
				t.Errorf("the agent did not resolve it in %d tries: %s", n, s.roles())
			}
			i := s.issue(1)
			for _, mark := range []string{"Taken up", "## Approach"} {
				if n := strings.Count(fmt.Sprint(i.Comments), mark); n != 1 {
					t.Errorf("%q is there %d times", mark, n)
				}
			}
		})
	}
}

// A chunk that is being given up is given up once.
func TestADriveThatDiesWhileItGivesUp(t *testing.T) {
	for _, point := range need.Sample([]string{"filed bug", "put aside", "unticked", "filed abort"}, "given up", "budget_continue", "skipped", "abort", "left") {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.settings(map[string]any{"max_retries_per_chunk": 1})
			s.does = func(t agent.Task) any {
				if t.Role == agent.Verify {
					return verdict(t, false)
				}
				return nil
			}
			if !s.kill(drive.Options{Issue: "1"}, point, 1) {
				t.Fatalf("it was never there: %q", s.points)
			}
			asked := len(s.asked)
			ends, err := s.engine(drive.Options{Only: true}).Run(t.Context())
			s.must(err)
			s.results(ends, evidence.Failed)
			s.filed("bug-deferred", "#1")
			if len(s.asked) != asked {
				t.Errorf("the agent was asked again: %s", s.roles())
			}
			s.want("the work tree", s.sh("git status --porcelain; git branch --show-current"), "main")
		})
	}
}

func TestAnInterruptKeepsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	ctx, cancel := context.WithCancel(t.Context())
	s.does = func(task agent.Task) any {
		s.write("AC-01.txt", "half\n")
		return "kill -STOP $$" // until it is ended
	}
	s.change = func(e *drive.Engine) {
		tell := e.Tell
		e.Tell = func(n drive.Note) {
			tell(n)
			if n.Kind == drive.AgentSaid {
				cancel()
			}
		}
	}
	ends, err := s.engine(drive.Options{Issue: "1"}).Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	s.results(ends, evidence.Stopped)
	s.want("the branch", s.sh("git log --format=%s -1 feature/issue-1-thing-1; git show feature/issue-1-thing-1:AC-01.txt; git branch --show-current"), "wip: #1 chunk 1, stopped\nhalf\nmain")
	s.want("the remote", s.sh("git -C ../origin.git log -1 --format=%s feature/issue-1-thing-1"), "wip: #1 chunk 1, stopped")
	// The next drive does not build on what nobody has judged.
	s.does, s.change = nil, nil
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("the target", s.sh("git log --format=%s main"), "feat: Thing 1 (#1)\nchore: begin")
	s.says("took the unfinished work of an earlier drive off the branch")
	if kept := s.sh("git for-each-ref --format='%(refname)' refs/warp/wip"); kept == "" {
		t.Error("it was not kept")
	}
}

// What a stopped drive left behind is removed first, then what is asked for is done.
func TestAStoppedDriveIsCleanedUpAfter(t *testing.T) {
	t.Parallel()
	s := newScene(t, one, one)
	if !s.kill(drive.Options{Issue: "1"}, "ran code", 1) {
		t.Fatal("it did not get there")
	}
	e := s.engine(drive.Options{})
	_, err := e.Drive.Fire(t.Context(), "abort", `{"failure":"stopped by a person"}`)
	s.must(err)
	s.drive(drive.Options{Issue: "2"}, evidence.Merged)
	s.says("#1 was stopped: cleaning up")
	s.want("the branch", s.sh("git log --format=%s -1 feature/issue-1-thing-1"), "wip: #1 chunk 1, stopped")
}

func TestASecondEngineStaysOut(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	tried := false
	s.at("chunks_defined", func() {
		s.change = nil
		var locked *durable.LockedError
		if _, err := s.engine(drive.Options{Issue: "1"}).Run(t.Context()); !errors.As(err, &locked) || locked.PID != os.Getpid() {
			t.Errorf("a second engine: %v", err)
		}
		tried = true
	})
	first := s.change
	s.change = func(e *drive.Engine) { first(e); e.PID = os.Getpid() } // which is alive
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if !tried {
		t.Error("there was no second one")
	}
}

func TestAPauseIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.at("chunks_defined", func() {
		e := s.engine(drive.Options{})
		_, err := e.Drive.Pause()
		s.must(err)
	})
	first := s.change
	s.change = func(e *drive.Engine) {
		if first != nil {
			first(e)
		}
		tell := e.Tell
		e.Tell = func(n drive.Note) {
			tell(n)
			if n.Kind == drive.Waiting && strings.HasPrefix(n.Text, "paused since") {
				first = nil
				_, err := s.engine(drive.Options{}).Drive.Continue(t.Context())
				s.must(err)
			}
		}
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if !slices.ContainsFunc(s.notes, func(n drive.Note) bool {
		return strings.HasPrefix(n.Text, "paused since") && !strings.Contains(n.Text, "Z;")
	}) {
		t.Error("no person was told, in words")
	}
}

// Work on another machine is not begun anew here.
func TestAnIssueThatIsHalfDoneElsewhere(t *testing.T) {
	t.Parallel()
	s := newScene(t, two).withRemote()
	s.settings(map[string]any{"max_acs_per_commit": 1})
	if !s.kill(drive.Options{Issue: "1"}, "pushed", 1) {
		t.Fatal("it did not get there")
	}
	s.sh("git checkout -q main; git branch -q -D feature/issue-1-thing-1; rm .claude/.warp-drive-state.json; rm -rf .claude/state")
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Why, "partly done on origin/feature/issue-1-thing-1 (1 of 2 chunks)") {
		t.Errorf("%+v", ends[0])
	}
}
