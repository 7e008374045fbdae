package checkpoint

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
)

// five makes five checkpoints that differ in everything that a work tree can.
func five(b *box) (trees, heads [6]string) {
	note := func(task string) {
		n := b.make(task)
		trees[n], heads[n] = b.tree(), b.git("rev-parse", "HEAD")
	}
	note("1.1") // clean
	b.write("a.txt", "changed\n")
	b.write("new/deep/file.txt", "untracked\n")
	b.remove("sub/b.txt")
	b.ok(os.Chmod(b.path("run.sh"), 0o755))
	b.ok(os.Symlink("a.txt", b.path("link")))
	b.git("add", "a.txt")
	note("1.2")
	b.commit("second")
	b.done("1.1")
	b.remove("new")
	b.write("new", "a file where a folder was\n")
	b.remove("link")
	b.ok(os.Mkdir(b.path("link"), 0o755))
	b.write("link/inside.txt", "a folder where a link was\n")
	b.write("forced.log", "ignored, and added all the same\n")
	b.git("add", "-f", "forced.log")
	note("1.3")
	b.commit("third")
	b.done("1.2")
	note("2.1")
	b.remove("a.txt")
	b.ok(os.Symlink("nowhere", b.path("a.txt")))
	b.remove("link")
	b.write(".gitignore", ".claude/*\n!.claude/commands/\n*.log\n*.tmp\n")
	b.write("ü \"quoted\"\nname", "odd\n")
	note("2.2")
	return trees, heads
}

func TestRestoreEveryCheckpoint(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links")
	}
	t.Run("top", func(t *testing.T) { everyCheckpoint(t, newBox(t)) })
	t.Run("folder", func(t *testing.T) { everyCheckpoint(t, newBox(t, "some", "project")) })
}

func everyCheckpoint(t *testing.T, b *box) {
	trees, heads := five(b)
	b.write("later.txt", "not in any checkpoint\n")
	b.done("1.3")
	last := b.tree()
	var first Restored
	for i, n := range []int{5, 4, 3, 2, 1, 2, 3, 4, 5, 1, 5, 2} {
		if i%5 == 0 {
			b.git("reflog", "expire", "--expire=now", "--all")
			b.git("gc", "-q", "--prune=now")
		}
		r := b.restore(n)
		if i == 0 {
			first = r
		}
		if got := b.tree(); got != trees[n] {
			t.Fatalf("checkpoint %d: the tree is %s, was %s\n%s", n, got, trees[n], b.git("diff-tree", "-r", trees[n], got))
		}
		if tip := b.git("rev-parse", "feature"); tip != heads[n] || b.git("symbolic-ref", "HEAD") != "refs/heads/feature" {
			t.Errorf("checkpoint %d: the branch is at %s, was at %s", n, tip, heads[n])
		}
		want, err := b.Snapshot(n)
		b.ok(err)
		if bare(b.now()) != bare(want) {
			t.Errorf("checkpoint %d: the state is\n%s\nand was\n%s", n, bare(b.now()), bare(want))
		}
		list, err := b.List(t.Context())
		b.ok(err)
		for j, p := range list {
			if p.N != j+1 || !p.Usable() || p.Left != (p.N > n) {
				t.Errorf("at %d: %+v", n, p)
			}
		}
		if len(list) != 5 || len(r.Salvage) == 0 || len(r.Revealed) > 0 {
			t.Errorf("checkpoint %d: %d are left; %+v", n, len(list), r)
		}
	}
	b.git("clean", "-fdq")
	b.git("checkout", "-qf", first.Salvage[0])
	if got := b.tree(); got != last {
		t.Errorf("what was salvaged is %s, was %s", got, last)
	}
	saved, err := parse(os.ReadFile(b.path(first.State)))
	b.ok(err)
	if !saved.CompletedTasks.Has("1.3") {
		t.Error("the state that was salvaged lacks what was done")
	}
}

func TestWhatIsStagedIsSalvaged(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.write("a.txt", "staged\n")
	b.git("add", "a.txt")
	b.write("a.txt", "later\n")
	r := b.restore(1)
	b.has("a.txt", "a\n")
	if got := b.git("show", r.Salvage[0]+":a.txt") + ", " + b.git("show", r.Salvage[1]+":a.txt"); got != "later, staged" {
		t.Error(got)
	}
	if got := b.git("status", "--porcelain"); got != "" {
		t.Error(got)
	}
}

func TestAfterARestoreCheckpointsGetFreshNumbers(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.write("a.txt", "one\n")
	b.make("1.2")
	two := b.tree()
	b.restore(1)
	if n := b.make("1.1"); n != 1 {
		t.Errorf("checkpoint %d: the one that was gone back to is the one", n)
	}
	b.write("a.txt", "another\n")
	if n := b.make("1.2"); n != 3 {
		t.Errorf("checkpoint %d: what was left behind is not what is there now", n)
	}
	if n := b.make("1.2"); n != 3 {
		t.Errorf("checkpoint %d: it was made already", n)
	}
	three := b.tree()
	b.restore(2)
	if b.tree() != two {
		t.Error("the second checkpoint was written over")
	}
	b.restore(3)
	if b.tree() != three {
		t.Error("the third checkpoint is not what it was")
	}
	if p, err := b.List(t.Context()); err != nil || p[0].Left || !p[1].Left || p[2].Left {
		t.Errorf("%+v %v", p, err)
	}
}

// A person may go back with cp, as the seed says, and with git.
func TestByHand(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.write("a.txt", "one\n")
	b.make("1.2")
	text, err := os.ReadFile(b.path(".claude/checkpoint-001.json"))
	b.ok(err)
	b.write(".claude/agent-state.json", string(text))
	if s := b.now(); len(s.Checkpoints) != 1 {
		t.Fatal(len(s.Checkpoints))
	}
	b.write("a.txt", "two\n")
	if n := b.make("1.2"); n != 3 {
		t.Errorf("checkpoint %d: the second is still there", n)
	}
	b.git("reset", "-q", "--hard", b.now().Checkpoints[1].GitSHA)
	b.has("a.txt", "two\n")
	b.has(".claude/commands/mine.md", "mine\n")
	// The commit of a checkpoint is checked out now: it is where the branch is.
	tip := b.git("rev-parse", "HEAD")
	n := b.make("1.3")
	if sha := b.now().Checkpoints[2].GitSHA; sha != tip {
		t.Errorf("the work tree is HEAD's, and the checkpoint is %s", sha)
	}
	b.write("a.txt", "three\n")
	b.restore(n)
	if b.git("rev-parse", "feature") != tip {
		t.Error("the branch is elsewhere")
	}
	b.remove(".claude/agent-state.json")
	b.remove(".claude/state")
	b.restore(2)
	b.has("a.txt", "one\n")
	if s := b.now(); len(s.Checkpoints) != 2 {
		t.Error(len(s.Checkpoints))
	}
}

// A snapshot that the state does not know is not written over, also when its
// commit is the same.
func TestSnapshotsAreCounted(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.make("1.2")
	text, err := os.ReadFile(b.path(".claude/checkpoint-001.json"))
	b.ok(err)
	b.write(".claude/agent-state.json", string(text))
	if n := b.make("1.3"); n != 3 {
		t.Error(n)
	}
}

func TestFilesThatAreNoLongerIgnoredStay(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.write(".gitignore", ".claude/*\n*.log\nbuild/\n")
	b.write("build/out", "made\n")
	r := b.restore(1)
	b.has("build/out", "made\n")
	if strings.Join(r.Revealed, " ") != "build/out" {
		t.Error(r.Revealed)
	}
}

// Members of others, in the state and in its snapshots, are kept.
func TestUnknownMembersStay(t *testing.T) {
	b := newBox(t)
	text, err := os.ReadFile(b.path(".claude/agent-state.json"))
	b.ok(err)
	b.write(".claude/agent-state.json", strings.Replace(string(text), "{", `{"theirs": 1.50,`, 1))
	b.make("1.1")
	b.done("1.1")
	b.restore(1)
	for _, file := range []string{".claude/checkpoint-001.json", ".claude/checkpoint.json", ".claude/agent-state.json"} {
		if text, err := os.ReadFile(b.path(file)); err != nil || !strings.Contains(string(text), `"theirs": 1.50`) {
			t.Errorf("%s: %s", file, text)
		}
	}
	if b.now().CompletedTasks.Has("1.1") || b.now().Orchestrator.Status != workflowstate.Executing {
		t.Error(bare(b.now()))
	}
}
