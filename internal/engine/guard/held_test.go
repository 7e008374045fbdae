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
			if held := s.heldNames(); !strings.Contains(held, own+"/tips") {
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
