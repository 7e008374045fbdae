package checkpoint

import (
	"errors"
	"os"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/durable"
)

func TestMakeIsKilled(t *testing.T) {
	for _, point := range []string{"checkpoint_ref", "checkpoint_row", "checkpoint_files"} {
		for _, change := range []string{"", "uncommitted\n"} {
			t.Run(point, func(t *testing.T) {
				b := newBox(t)
				b.make("1.1")
				if change != "" {
					b.write("a.txt", change)
				}
				b.killed(point, func() { _, _ = b.Make(t.Context(), b.update, 0, "1.2") })
				b.ok(b.update("resumed", func(s *workflowstate.State) error { s.TaskBegun("1.2", b.clock); return nil }))
				if n := b.make("1.2"); n != 2 {
					t.Errorf("it is checkpoint %d", n)
				}
				if got := strings.Count(b.git("for-each-ref", "refs/warp/checkpoint"), "\n") + 1; got != 2 {
					t.Errorf("there are %d references", got)
				}
				list, err := b.List(t.Context())
				if err != nil || len(list) != 2 || !list[1].Usable() {
					t.Fatalf("%+v %v", list, err)
				}
				s, err := b.Snapshot(2)
				b.ok(err)
				if has := s.PendingTasks.Find("1.2").Began != ""; has != (point == "checkpoint_ref") {
					t.Errorf("the snapshot is not of when its row was written: %s", bare(s))
				}
				newest, err := os.ReadFile(b.path(".claude/checkpoint.json"))
				b.ok(err)
				b.has(".claude/checkpoint-002.json", string(newest))
				if left, _ := b.Store.List(".claude/state"); strings.Contains(strings.Join(left, " "), "checkpoint") {
					t.Error(left)
				}
			})
		}
	}
}

// List completes what was begun, too.
func TestListCompletesWhatWasBegun(t *testing.T) {
	b := newBox(t)
	b.killed("checkpoint_row", func() { _, _ = b.Make(t.Context(), b.update, 0, "1.1") })
	if list, err := b.List(t.Context()); err != nil || len(list) != 1 || !list[0].Usable() {
		t.Errorf("%+v %v", list, err)
	}
	b.remove(".claude/checkpoint-001.json")
	if list, err := b.List(t.Context()); err != nil || !list[0].NoSnapshot {
		t.Errorf("a snapshot came from nowhere: %+v %v", list, err)
	}
	b.make("1.1")
	if _, err := b.Snapshot(1); err != nil {
		t.Error(err)
	}
}

// What a killed Make has kept is not written over when the work tree has changed
// since.
func TestAReferenceWithoutRowIsKept(t *testing.T) {
	b := newBox(t)
	b.write("a.txt", "one\n")
	b.killed("checkpoint_ref", func() { _, _ = b.Make(t.Context(), b.update, 0, "1.1") })
	b.write("a.txt", "two\n")
	if n := b.make("1.1"); n != 2 {
		t.Error(n)
	}
	if got := b.git("show", "refs/warp/checkpoint/20260115T120000Z/001:a.txt"); got != "one" {
		t.Error(got)
	}
}

func TestRestoreIsKilled(t *testing.T) {
	for _, point := range []string{"restore_salvaged", "restore_tree", "restore_branch", "restore_state"} {
		t.Run(point, func(t *testing.T) {
			b := newBox(t)
			b.write("a.txt", "one\n")
			b.make("1.1")
			tree, tip := b.tree(), b.git("rev-parse", "HEAD")
			b.commit("more")
			b.done("1.1")
			b.write("mine.txt", "uncommitted\n")
			was, wasTip := b.tree(), b.git("rev-parse", "HEAD")
			b.killed(point, func() { _, _ = b.Restore(t.Context(), 1) })
			var under *InterruptedError
			if _, err := b.Make(t.Context(), b.update, 0, "1.2"); !errors.As(err, &under) || under.N != 1 {
				t.Errorf("a checkpoint of two halves: %v", err)
			}
			b.write("between.txt", "made before it is completed\n")
			r, err := b.Restore(t.Context(), 1) // within the same second
			b.ok(err)
			if b.tree() != tree || b.git("rev-parse", "feature") != tip || b.now().CompletedTasks.Has("1.1") {
				t.Errorf("it was not completed: %s %s", b.tree(), bare(b.now()))
			}
			if _, under, err := b.Interrupted(); under || err != nil {
				t.Error("it is still under way", err)
			}
			if got := b.git("show", r.Salvage[0]+":between.txt"); got != "made before it is completed" {
				t.Error(got)
			}
			found := false
			for _, ref := range strings.Fields(b.git("for-each-ref", "--format=%(refname)", "refs/warp/checkpoint/*/salvage-*")) {
				found = found || b.git("log", "-1", "--format=%P", ref) == wasTip && b.git("rev-parse", ref+":mine.txt") == b.git("rev-parse", was+":mine.txt")
			}
			if !found {
				t.Error("what was there first is lost")
			}
			if n := b.make("1.2"); n != 2 {
				t.Error(n)
			}
		})
	}
}

// A state that an agent has removed is brought back by the one who knows it.
func TestTheStateWasRemoved(t *testing.T) {
	b := newBox(t)
	b.make("1.1")
	was := b.now()
	b.remove(".claude/agent-state.json")
	n, err := b.Make(t.Context(), func(what string, fn func(*workflowstate.State) error) error {
		_, err := b.records().document().Update(func(tx *durable.Tx[workflowstate.State]) error {
			if tx.Doc == nil {
				tx.Doc = was
			}
			return fn(tx.Doc)
		})
		return err
	}, 0, "1.2")
	if err != nil || n != 2 || len(b.now().Checkpoints) != 2 {
		t.Error(n, err)
	}
}
