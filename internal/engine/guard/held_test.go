package guard

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"warp/internal/sys/git"
	"warp/internal/testkit/need"
)

// heldNames are the names below which something is held.
func (s *scene) heldNames() string {
	return strings.TrimSpace(s.sh("git for-each-ref --format='%(refname)' refs/warp/held | sed 's|refs/warp/held/||'"))
}

// What a process holds stays while it runs. A pid that was given to another process since
// keeps nothing.
func TestWhatDeadProcessesHoldIsReleased(t *testing.T) {
	need.Linux(t) // elsewhere it may not be known when a process began
	parent, own := heldBy(os.Getppid()), heldBy(os.Getpid())
	alive := parent + "/tips"
	for name, c := range map[string]struct{ held, stays string }{
		"it runs":                      {parent, alive},
		"its pid was reused":           {fmt.Sprintf("%d-0123456789abcdef", os.Getppid()), ""},
		"its pid is this process's":    {fmt.Sprintf("%d-0123456789abcdef", os.Getpid()), ""},
		"it is gone":                   {"4194399-0123456789abcdef", ""},
		"its engines are gone":         {"4194399-0123456789abcdef/2", ""},
		"as earlier versions named it": {fmt.Sprint(os.Getppid()), fmt.Sprintf("%d/tips", os.Getppid())},
		"gone, as earlier versions":    {"4194399", ""},
		"no process":                   {"what", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			hold := "git update-ref refs/warp/held/" + c.held + "/tips HEAD"
			s.sh(hold)
			r, err := s.guard.Before(context.Background(), s.scope())
			if err != nil {
				t.Fatal(err)
			}
			if held := s.heldNames(); !strings.Contains(held, own+"/") || !strings.Contains(held, "/tips") {
				t.Errorf("during the run %q is held", held)
			}
			if _, err := r.After(context.Background()); err != nil {
				t.Fatal(err)
			}
			s.guard.Clear()
			if held := s.heldNames(); held != c.stays {
				t.Errorf("after the run %q is held, want %q", held, c.stays)
			}

			s.sh(hold)
			place, _ := git.Locate(s.root)
			n, err := ReleaseDead(context.Background(), place)
			if held := s.heldNames(); err != nil || held != c.stays || n == 0 != (c.stays != "") {
				t.Errorf("without a run %q is held, want %q; %d, %v", held, c.stays, n, err)
			}
		})
	}
}

// Engines of one process end one by one: what the others hold stays until their own end.
func TestEnginesOfOneProcessHoldByThemselves(t *testing.T) {
	s := newScene(t)
	other, err := New(Options{Root: s.root, Store: s.guard.Store, State: s.guard.State, Name: "other", Now: s.guard.Now, Remark: s.guard.Remark})
	if err != nil {
		t.Fatal(err)
	}
	var runs []*Run
	for _, g := range []*Guard{s.guard, other} {
		r, err := g.Before(t.Context(), s.scope())
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	end := func(i int) string {
		t.Helper()
		if _, err := runs[i].After(t.Context()); err != nil {
			t.Fatal(err)
		}
		runs[i].g.Clear()
		return s.heldNames()
	}
	if held := end(0); !strings.Contains(held, "/tips") {
		t.Errorf("while the second engine runs, %q is held", held)
	}
	if held := end(1); held != "" {
		t.Errorf("after both, %q is held", held)
	}
}

// A run that begins while another is under way has its branch, and what is staged in its work
// tree, held as well: nothing else may keep them from a garbage collection.
func TestWhatALaterRunBeginsWithIsHeldToo(t *testing.T) {
	s := newScene(t)
	shared := NewShared()
	begin := func(g *Guard, name string) *Run {
		t.Helper()
		sc := s.scope()
		sc.Owner, sc.Refs = "test "+name, append([]string{"refs/heads/warp/" + name}, sc.Refs...)
		r, err := g.Before(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	staged := func(name string) string {
		return s.sh("cd .claude/worktrees/" + name + " && echo staged in " + name + " > made.txt && git add made.txt && git rev-parse :made.txt")
	}
	first := s.linked("one", shared)
	want := []string{staged("one")}
	one := begin(first, "one")
	second := s.linked("two", shared)
	want = append(want, s.sh("cd .claude/worktrees/two && git commit -q --allow-empty -m 'made since' && git rev-parse HEAD"), staged("two"))
	two := begin(second, "two")
	s.sh(`git worktree remove --force .claude/worktrees/two; git branch -q -D warp/two
		git -C .claude/worktrees/one reset -q; git reflog expire --expire=now --all; git gc -q --prune=now`)
	for _, object := range want {
		s.sh("git cat-file -e " + strings.TrimSpace(object))
	}
	if _, err := one.After(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := two.After(t.Context()); err == nil {
		t.Error("the work tree of the second run is gone, and that is no error")
	}
}

// What an agent has moved holds nothing: the next one may delete a branch and collect it.
func TestWhatAnAgentMovedIsHeldAgain(t *testing.T) {
	s := newScene(t)
	s.sh("git branch person $(git commit-tree -p HEAD -m precious HEAD^{tree})")
	for _, does := range []string{
		"for r in $(git for-each-ref --format='%(refname)' refs/warp/held); do git update-ref $r HEAD; done",
		"git branch -q -D person; git reflog expire --expire=now --all; git gc -q --prune=now",
	} {
		r, err := s.guard.Before(t.Context(), s.scope())
		if err != nil {
			t.Fatal(err)
		}
		s.sh(does)
		if _, err := r.After(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if subject := s.sh("git log -1 --format=%s person"); strings.TrimSpace(subject) != "precious" {
		t.Errorf("the branch of the person is at %q", subject)
	}
}

// What an agent has released is held again before the next one runs.
func TestWhatAnAgentReleasedIsHeldAgain(t *testing.T) {
	s := newScene(t)
	for range 2 {
		r, err := s.guard.Before(t.Context(), s.scope())
		if err != nil {
			t.Fatal(err)
		}
		if s.heldNames() == "" {
			t.Error("nothing is held")
		}
		s.sh("git for-each-ref --format='delete %(refname)' refs/warp/held | git update-ref --stdin")
		if _, err := r.After(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
