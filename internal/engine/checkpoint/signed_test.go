package checkpoint

import (
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
)

// The seed went back by copying a checkpoint's file over the state: a signed one is
// believed, also without a journal, and one that was edited is told apart.
func TestACheckpointIsSigned(t *testing.T) {
	b := newBox(t)
	n := b.make("1.1")
	text, err := b.Store.ReadFile(b.records().path(workflowstate.SnapshotFile(n)))
	b.ok(err)
	if !b.records().signed(n) || strings.Contains(string(text), "engine_pid") {
		t.Fatalf("%s", text)
	}
	b.write(b.records().path(workflowstate.File), string(text))
	b.remove(b.records().path("state"))
	if v, err := b.records().document().Read(); err != nil || v.Unsigned || v.Undone || len(v.Doc.Checkpoints) != 1 {
		t.Errorf("copied back: %+v, %v", v, err)
	}
	b.write(b.records().path(workflowstate.SnapshotFile(n)), strings.Replace(string(text), `"1.1"`, `"1.2"`, 1))
	if b.records().signed(n) {
		t.Error("edited, and believed")
	}
}
