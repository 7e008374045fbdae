package gitwrite

import (
	"context"
	"errors"
	"testing"
)

// What comes into the work tree after it was looked at, out of tests for one, is
// not committed.
func TestCommitOfATreeLeavesOutWhatCameSince(t *testing.T) {
	b := newBox(t)
	b.write(".claude/tracked", "1")
	b.git("add", "-f", ".claude/tracked")
	b.git("commit", "-q", "-m", "m", "--", ".claude/tracked")
	b.write("mine", "untracked\n")
	b.write("b", with(lines("b", 9), "b5", "mine"))
	base := b.snap()
	b.write("a", with(lines("a", 9), "a2", "chunk"))
	b.write("b", with(with(lines("b", 9), "b5", "mine"), "b1", "chunk"))
	b.write("new", "new\n")
	c := b.change(base)
	c.Tree = b.snap()
	b.write("coverage.out", "made by a test\n")
	b.write("a", with(with(lines("a", 9), "a2", "chunk"), "a9", "later"))
	b.write(".claude/tracked", "2")
	hash, err := b.Commit(context.Background(), c)
	b.ok(err)
	b.wantChanged(hash, "M a", "M b", "A new")
	b.wantBlob("HEAD:a", with(lines("a", 9), "a2", "chunk"))
	b.wantBlob("HEAD:b", with(lines("b", 9), "b1", "chunk"))
	b.wantBlob("HEAD:.claude/tracked", "1")
	b.wantStatus(" M .claude/tracked", " M a", " M b", "?? coverage.out", "?? mine")
	b.wantFile("coverage.out", "made by a test\n")
	c.Base = c.Tree
	if _, err := b.Commit(context.Background(), c); !errors.Is(err, ErrNothing) {
		t.Errorf("again: %v", err)
	}
}
