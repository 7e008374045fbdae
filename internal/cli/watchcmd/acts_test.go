//go:build unix

package watchcmd

import (
	"strings"
	"testing"

	"warp/internal/testkit/gittest"
	"warp/internal/ui/feed"
)

// A workflow works in a separate work tree: what a person changed is none of its diff.
func TestTheDiffOfAWorkflowIsItsOwn(t *testing.T) {
	dir := gittest.Dir(t)
	gittest.Sh(t, dir, gittest.Init+`echo one > a && git add a && git commit -q -m one
git worktree add -q -b workflow/w ../tree && echo theirs >> ../tree/a && echo mine >> a`)
	i := feed.Item{Kind: feed.Workflow, State: feed.Running, Root: dir, Branch: "workflow/w"}
	look := func(want, not string) {
		t.Helper()
		said, err := diff(t.Context(), dir, i, nil)
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, want) || strings.Contains(said, not) {
			t.Errorf("%q is not in, or %q is:\n%s", want, not, said)
		}
	}
	look("+theirs", "+mine")
	i.State = feed.Stopped
	gittest.Sh(t, dir, `git -C ../tree commit -q -a -m two && git worktree remove ../tree`)
	look("+theirs", "+mine")
	gittest.Sh(t, dir, `git branch -q -D workflow/w`)
	look("its branch is gone", "+mine")
	i.Branch, i.Kind = "", feed.Loop
	look("nothing was committed", "+mine")
	i.State = feed.Running
	look("+mine", "+theirs")
}
