package recover_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/testkit/need"
)

const seven = `What is wanted.

- [ ] AC-01: thing 1
- [ ] AC-02: thing 2
- [ ] AC-03: thing 3
- [ ] AC-04: thing 4
- [ ] AC-05: thing 5
- [ ] AC-06: thing 6
- [ ] AC-07: thing 7
`

// calm is the account of a drive that nobody disturbs.
func calm(t *testing.T) string {
	t.Helper()
	undisturbed.Do(func() {
		w := newWorld(t, seven)
		w.machine("a").sh("warp drive 1")
		undisturbed.account = w.account()
	})
	return undisturbed.account
}

var undisturbed struct {
	sync.Once
	account string
}

// complete tells whether everything is to be tried, and not a sample.
func complete() bool { return os.Getenv("WARP_SWEEP") != "" }

// A machine is lost in the middle of a drive; another one, which has nothing but
// the clone, goes on with it.
func TestAnotherMachineGoesOn(t *testing.T) {
	need.Tool(t, "git")
	want := calm(t)
	points := []string{
		"pushed#1",           // the report of the first chunk is not filed
		"ticked#2",           // boxes are checked that nothing was committed for
		"committed_in_git#2", // the second chunk's commit is lost with the machine
		"pushed#2",           // as the first
		"filed_report#2",
		"report_filed#2",
		"ran_code#3",
		"pushed#3",
		"requirement_done#1",
		"closing_comment#1",
	}
	if !complete() {
		points = points[:3]
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seven)
			a := w.machine("a")
			a.crash(point, "warp drive 1")
			if err := os.RemoveAll(a.at); err != nil {
				t.Fatal(err)
			}
			b := w.machine("b")
			merged := point == "target_pushed#1" || point == "closing_comment#1"
			out := b.sh("warp init")
			if told := strings.Contains(out, "#1 is unfinished"); told == merged {
				t.Errorf("init says:\n%s", out)
			}
			if merged {
				out = b.sh("warp recover run 1")
			} else {
				out = b.sh("warp init --resume")
			}
			if !strings.Contains(out, "continue with: warp drive 1") {
				t.Errorf("it was not brought back:\n%s", out)
			}
			went := b.sh("warp drive 1")
			if diff := cmp.Diff(want, w.account()); diff != "" {
				t.Errorf("%s\n%s\n%s", diff, out, went)
			}
		})
	}
}

// A drive rebases its branch before it merges it, and the remote keeps the old
// one: that is no work to take up.
func TestAFinishedDriveIsNotOffered(t *testing.T) {
	need.Tool(t, "git")
	w := newWorld(t, seven)
	a := w.machine("a")
	a.crash("pushed#1", "warp drive 1")
	w.machine("other").sh("echo theirs > theirs.txt && git add -A && git commit -q -m 'feat: theirs' && git push -q origin main")
	a.says("warp drive 1", "was rebased onto main", "end        merged")
	b := w.machine("b")
	if out := b.sh("warp init"); strings.Contains(out, "unfinished") {
		t.Error(out)
	}
	if out, exit := b.run("warp recover run 1"); exit != 2 || !strings.Contains(out, "#1 is closed") {
		t.Errorf("exit %d:\n%s", exit, out)
	}
}
