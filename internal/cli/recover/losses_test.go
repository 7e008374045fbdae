package recover_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/engine/person"
	"warp/internal/sys/seal"
	"warp/internal/testkit/need"
	"warp/internal/turnstile"
)

// ends goes on with a drive and holds what comes of it against one that nobody
// disturbed.
func (w *world) ends(want, drive string) {
	w.t.Helper()
	out := w.sh(drive)
	if diff := cmp.Diff(want, w.account()); diff != "" {
		w.t.Errorf("%s\n%s", diff, out)
	}
}

// claim makes a process the drive's engine, as one with the user's key does: what
// is only written into the file after a kill does not count.
func (w *world) claim(pid int) {
	w.t.Helper()
	key, err := seal.Open(func(string) string { return "" }, filepath.Join(w.dir, "home", ".local", "state", "warp"))
	if err == nil {
		env := turnstile.System()
		env.Signer = key
		_, err = turnstile.Open(w.at, env).Claim(pid, turnstile.Mind{})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// token lets a command of the test be a person's.
func (w *world) token() string {
	w.t.Helper()
	token, err := person.Token(filepath.Join(w.dir, "home", ".local", "state", "warp"), false)
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// other is a process that no command of the test descends from.
func (w *world) other() int {
	w.t.Helper()
	c := exec.Command("cat")
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	return c.Process.Pid
}

func (w *world) says(script string, words ...string) string {
	w.t.Helper()
	out := w.sh(script)
	for _, word := range words {
		if !strings.Contains(out, word) {
			w.t.Errorf("%s does not say %q:\n%s", script, word, out)
		}
	}
	return out
}

func (w *world) lose(path string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.at, path)); err != nil {
		w.t.Fatal(err)
	}
}

// What can be lost on the way, besides the whole machine. Each ends as if
// nothing had happened.
func TestWhatWasLostIsBroughtBack(t *testing.T) {
	need.Tool(t, "git")
	want := calm(t)
	const tree = ".claude/worktrees/issue-1"
	for _, c := range []struct {
		sample             bool
		name, drive, point string
		lose               func(*world)
		run                []string // what the recovery says
		on                 string
	}{
		{false, "the work tree of a drive", "warp drive 1 --worktree", "report_filed#2", func(w *world) { w.lose(tree) },
			[]string{"2 of 3 chunks are done", "continue with: warp drive 1 --worktree"}, "warp drive 1 --worktree"},
		{true, "the work tree, with a chunk under way", "warp drive 1 --worktree", "ran_code#3", func(w *world) { w.lose(tree) },
			[]string{"2 of 3 chunks are done", "kept: refs/warp/recovered/issue-1-chunk-3-"}, "warp drive 1 --worktree"},
		{false, "the work tree, before anything was committed", "warp drive 1 --worktree", "planned#1", func(w *world) { w.lose(tree) },
			[]string{"restored at its beginning"}, "warp drive 1 --worktree"},
		{true, "the work tree, with what was staged", "warp drive 1 --worktree", "pushed#2", func(w *world) {
			w.sh("cd " + tree + " && echo precious > staged.txt && git add staged.txt")
			w.lose(tree)
		}, []string{"kept: refs/warp/recovered/issue-1-staged-"}, "warp drive 1 --worktree"},
		{false, "the work tree and the branch", "warp drive 1 --worktree", "pushed#2", func(w *world) {
			w.lose(tree)
			w.sh("git update-ref -d refs/heads/feature/issue-1-seven-things")
		}, []string{"2 of 3 chunks are done"}, "warp drive 1 --worktree"},
		{false, "the branch", "warp drive 1", "report_filed#2", func(w *world) {
			w.sh("git switch -q main && git branch -q -D feature/issue-1-seven-things")
		}, []string{"2 of 3 chunks are done", "continue with: warp drive 1"}, "warp drive 1"},
		{true, "the branch, here and on the remote", "warp drive 1", "report_filed#2", func(w *world) {
			w.sh("git switch -q main && git branch -q -D feature/issue-1-seven-things && git push -q origin :feature/issue-1-seven-things")
		}, []string{"2 of 3 chunks are done"}, "warp resume"},
		{false, "the last commit", "warp drive 1", "report_filed#2", func(w *world) { w.sh("git reset -q --hard HEAD^") },
			[]string{"2 of 3 chunks are done"}, "warp drive 1"},
		{false, "everything but .claude", "warp drive 1", "ran_code#3", func(w *world) {
			w.sh("mv .claude ../kept && cd .. && rm -rf a && git clone -q git@github.com:octo/widgets.git a && mv kept a/.claude")
		}, []string{"2 of 3 chunks are done"}, "warp drive 1"},
		{true, "everything but .claude, of a drive with a work tree of its own", "warp drive 1 --worktree", "pushed#2", func(w *world) {
			w.sh("mv .claude ../kept && cd .. && rm -rf a && git clone -q git@github.com:octo/widgets.git a && mv kept a/.claude")
		}, []string{"2 of 3 chunks are done", "kept: refs/warp/recovered/issue-1-folder-", "issue-1.lost-"}, "warp drive 1 --worktree"},
	} {
		if !complete() && !c.sample {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newWorld(t, seven).machine("a")
			a.crash(c.point, c.drive)
			c.lose(a)
			a.says("warp recover status", "lost")
			a.says("warp recover run 1", c.run...)
			a.says("warp recover run 1", "nothing is lost")
			a.ends(want, c.on)
		})
	}
}

// The branch was made anew, and elsewhere: the recorded commits are picked onto
// it, and what it had stays.
func TestRecordedCommitsArePickedAgain(t *testing.T) {
	need.Tool(t, "git")
	a := newWorld(t, seven).machine("a")
	a.crash("report_filed#2", "warp drive 1")
	a.sh(`git push -q origin :feature/issue-1-seven-things && git switch -q main && git branch -q -D feature/issue-1-seven-things
		git switch -q -c feature/issue-1-seven-things && echo theirs > theirs.txt && git add -A && git commit -q -m 'feat: theirs'`)
	a.says("warp recover run 1", "2 of 3 chunks are done", "picked: ")
	if n := strings.Count(a.sh("git log --format=%s main.."), "\n"); n != 2 {
		t.Errorf("%d commits", n+1)
	}
	a.says("warp drive 1", "end        merged")
	a.says("git ls-files", "theirs.txt", "demo_ac_01", "demo_ac_07")
	if out := a.sh("git log --format=%B main | grep -c '^Warp-Drive: #1 chunk' && git worktree list | wc -l"); out != "3\n1" {
		t.Errorf("chunks, work trees: %s", out)
	}
	a.says("warp evidence 1", "7 of 7 criteria are met")
}

// A pick that conflicts, commits that are nowhere, files of the user's in the
// way, someone who drives: nothing is changed.
func TestItRefusesRatherThanLoses(t *testing.T) {
	need.Tool(t, "git")
	for _, c := range []struct {
		name  string
		lose  func(*world)
		exit  int
		words string
	}{
		{"a conflict", func(w *world) {
			w.sh(`git push -q origin :feature/issue-1-seven-things && git switch -q main && git branch -q -D feature/issue-1-seven-things
				git switch -q -c feature/issue-1-seven-things && echo theirs > demo_ac_01.txt && git add -A && git commit -q -m 'feat: theirs'`)
		}, 1, "it conflicts with the branch"},
		{"commits that are nowhere", func(w *world) {
			w.sh(`git push -q origin :feature/issue-1-seven-things && git switch -q main && git branch -q -D feature/issue-1-seven-things
				git reflog expire --expire=now --all && git gc -q --prune=now`)
		}, 1, "are recorded, but exist neither here nor on the remote"},
		{"files in the way", func(w *world) {
			w.sh("git switch -q main && git branch -q -D feature/issue-1-seven-things && echo mine > demo_ac_01.txt")
		}, 1, "demo_ac_01.txt"},
		{"someone drives it", func(w *world) {
			w.sh("git switch -q main && git branch -q -D feature/issue-1-seven-things")
			w.claim(w.other())
		}, 11, "Active session exists"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			need.Tool(t, "jq")
			_, a := crashed(t, "report_filed#2")
			c.lose(a)
			const all = "git for-each-ref refs/heads && git status --porcelain && git worktree list && cat .claude/.warp-drive-state.json"
			before := a.sh(all)
			out, exit := a.run("warp recover run 1", person.Variable+"="+a.token())
			if exit != c.exit || !strings.Contains(out, c.words) {
				t.Errorf("exit %d:\n%s", exit, out)
			}
			if diff := cmp.Diff(before, a.sh(all)); diff != "" {
				t.Errorf("something was changed:\n%s", diff)
			}
		})
	}
}

// Commits that are nowhere can be done again.
func TestLostChunksAreDoneAgain(t *testing.T) {
	need.Tool(t, "git")
	a := newWorld(t, seven).machine("a")
	a.crash("report_filed#2", "warp drive 1")
	a.sh(`git push -q --force origin HEAD^:feature/issue-1-seven-things && git reset -q --hard HEAD^
		git remote set-head origin -d && git reflog expire --expire=now --all && git for-each-ref --format='delete %(refname)' refs/warp refs/remotes | git update-ref --stdin && git gc -q --prune=now`)
	a.says("warp recover run 1 --redo", "1 of 3 chunks are done")
	a.ends(calm(t), "warp drive 1")
}

// A drive that a person stopped is over; its branch is brought to the other
// machine, and the next drive continues with what is open.
func TestAStoppedDriveBringsItsBranch(t *testing.T) {
	need.Tool(t, "git")
	for _, point := range []string{"abort_resolved#1", "wip_committed#1"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seven)
			a := w.machine("a")
			a.crash("ran_code#2", "warp drive 1")
			a.sh("warp stop")
			a.crash(point, "warp resume")
			a.sh("git push -q origin feature/issue-1-seven-things")
			a.lose(".")
			b := w.machine("b")
			if out := b.sh("warp init"); strings.Contains(out, "is unfinished") {
				t.Errorf("it is offered:\n%s", out)
			}
			if point == "wip_committed#1" {
				b.says("warp recover run 1", "chunks are done")
				if out, exit := b.run("warp resume"); exit != 130 {
					t.Errorf("exit %d:\n%s", exit, out)
				}
			} else {
				b.says("warp recover run 1", "a person stopped it", "continue with: warp drive 1")
			}
			w.hub.Lock()
			body := w.hub.Items[0].Body
			w.hub.Unlock()
			if strings.Count(body, "[x]") != 3 {
				t.Errorf("boxes:\n%s", body)
			}
			if out, _ := b.run("warp drive 1"); !strings.Contains(out, "3/7 done: AC-01, AC-02, AC-03") {
				t.Errorf("the next drive does not build on it:\n%s", out)
			}
			w.account()
		})
	}
}

// In an emergency the state is set aside, leases of the dead are taken, lost work
// trees are forgotten; files stay, and it can be brought back.
func TestReset(t *testing.T) {
	need.Tool(t, "git")
	a := newWorld(t, seven).machine("a")
	a.crash("ran_code#2", "warp drive 1")
	a.write("mine.txt", "uncommitted")
	before := a.sh("git status --porcelain && git for-each-ref")
	a.says("warp recover reset", "state      #1 in phase coding", "lease      warp-drive of process", "Nothing was changed")
	a.says("warp recover reset --yes", "kept: .claude/.warp-drive-state.json.reset-", "done")
	if out, exit := a.run("warp status"); exit != 2 {
		t.Errorf("exit %d:\n%s", exit, out)
	}
	if diff := cmp.Diff(before, a.sh("git status --porcelain && git for-each-ref")); diff != "" {
		t.Error(diff)
	}
	a.says("warp recover reset", "There is nothing to reset")
	a.sh("rm -f mine.txt && git stash -q -u") // what the agent had begun is in the way of nobody
	a.says("warp recover run 1", "1 of 3 chunks are done")
	a.ends(calm(t), "warp drive 1")
}
