package checkpoint

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

func TestRefuses(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.write("a.txt", "one\n")
	tip := b.commit("more")

	hold, _, err := b.Store.Acquire(lease, durable.Process{PID: os.Getpid(), Host: "here"}, func(int) (string, bool) { return "", true })
	b.ok(err)
	b.refused(1, Running)
	var locked *durable.LockedError
	if _, err := b.Restore(t.Context(), 1); !errors.As(err, &locked) {
		t.Error(err)
	}
	b.ok(hold.Release())

	d := turnstile.Open(b.Work.Dir, turnstile.System())
	_, err = d.Doc().Update(func(tx *durable.Tx[drivestate.State]) error {
		tx.Doc = &drivestate.State{Version: drivestate.Version, Phase: drivestate.Coding}
		return nil
	})
	b.ok(err)
	b.refused(1, Driven)
	_, err = d.Doc().Remove()
	b.ok(err)

	b.write(".git/MERGE_HEAD", tip+"\n")
	b.refused(1, Busy)
	b.remove(".git/MERGE_HEAD")

	b.git("switch", "-q", "main")
	b.refused(1, Branch)
	b.git("switch", "-q", "--detach", "feature")
	b.refused(1, Branch)
	b.git("branch", "-q", "-D", "feature")
	b.refused(1, Branch)
	b.git("switch", "-q", "-c", "feature")

	b.refused(7, NoSnapshot)
	b.write(".claude/checkpoint-008.json", "{")
	b.refused(8, NoSnapshot)
	text, err := os.ReadFile(b.path(".claude/checkpoint-001.json"))
	b.ok(err)
	b.write(".claude/checkpoint-009.json", string(text))
	b.refused(9, NoSnapshot)

	for reason, change := range map[Reason]func(*workflowstate.State){
		Other:    func(s *workflowstate.State) { s.ID = "another" },
		NoCommit: func(s *workflowstate.State) { s.Checkpoints[0].GitSHA = "abc123def456" },
	} {
		s, err := b.Snapshot(1)
		b.ok(err)
		change(s)
		b.write(".claude/checkpoint-001.json", string(workflowstate.Print(s, nil)))
		b.refused(1, reason)
		b.write(".claude/checkpoint-001.json", string(text))
	}
	b.restore(1)
	b.has("a.txt", "a\n")
}

// A conflict may be left without a merge that is under way.
func TestRefusesConflicts(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.write("a.txt", "stashed\n")
	b.git("stash", "-q")
	b.write("a.txt", "committed\n")
	b.commit("more")
	pop := exec.Command("git", "stash", "pop", "-q")
	pop.Dir = b.Work.Dir
	if pop.Run() == nil {
		t.Fatal("there is no conflict")
	}
	b.refused(1, Busy)
}

// What git ignores is in no snapshot of a work tree: it could not be brought back.
func TestRefusesToWriteOverIgnoredFiles(t *testing.T) {
	b := newBox(t)
	b.write("out.log", "forced\n")
	b.write("cache/x", "tracked\n")
	b.git("add", "-f", "out.log")
	b.commit("with a log")
	b.write("data", "a file\n")
	b.make("1.1")
	b.git("rm", "-q", "--cached", "out.log")
	b.remove("cache")
	b.remove("data")
	b.write("data/keep.log", "ignored\n")
	b.write("data/known", "in the tree\n")
	b.write("cache.log", "a person's\n")
	b.commit("without")
	b.refused(1, InTheWay) // data/keep.log
	b.remove("data/keep.log")
	b.write("out.log", "precious\n")
	b.refused(1, InTheWay)
	b.write("out.log", "forced\n") // the very same is not in the way
	b.write(".git/info/exclude", "cache\n")
	b.write("cache", "an ignored file where a folder is to be\n")
	b.refused(1, InTheWay)
	b.remove("cache")
	b.restore(1)
	b.has("data", "a file\n")
	b.has("out.log", "forced\n")
	b.has("cache/x", "tracked\n")
	b.has("cache.log", "a person's\n")
}

func TestRefusesRepositoriesInside(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	b.git("init", "-q", "inner")
	b.write("inner/x", "x\n")
	b.git("-C", "inner", "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty", "-m", "x")
	b.refused(1, Submodule)
}

// A state in the old format is not taken for a damaged one.
func TestOldFormat(t *testing.T) {
	b := newBox(t)
	old := `{"status": "executing", "current_step": 5, "total_steps": 10}`
	b.write(".claude/agent-state.json", old)
	var e *workflowstate.OldFormatError
	if _, err := b.List(t.Context()); !errors.As(err, &e) {
		t.Error(err)
	}
	b.has(".claude/agent-state.json", old)
}
