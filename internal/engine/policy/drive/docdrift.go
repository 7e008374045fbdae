package drive

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/land"
	"warp/internal/sys/gitwrite"
)

// Docs checks the documentation against the code.
type Docs interface {
	// Sync fixes what can be fixed mechanically, and returns the changed files.
	Sync() (changed []string, err error)
	// Drift lists the remaining problems that mislead readers.
	Drift() (high []string, err error)
	// Proof lists what is wrong in the documents as they are committed: what misleads readers and
	// needs an author, and what Sync would have fixed.
	Proof() (high, mechanical []string, err error)
}

// driftGate is the documentation gate's name in evidence.
const driftGate = "doc_drift"

// checkDrift fixes the documentation in a separate commit, and goes back to coding if something is
// left that needs an agent. If the engine dies after the commit, nothing is left to fix.
func checkDrift(ctx context.Context, t *turn) (move, error) {
	if t.Docs == nil {
		return move{on: drivestate.DriftClean}, nil
	}
	before, err := t.snapshotWorkTree()
	if err != nil {
		return move{}, err
	}
	changed, err := t.Docs.Sync()
	if err != nil {
		return move{}, fmt.Errorf("fixing the documentation: %w", err)
	}
	if len(changed) > 0 {
		after, err := t.snapshotWorkTree()
		if err != nil {
			return move{}, err
		}
		hash, err := commitBetween(ctx, t, before, after, fmt.Sprintf("docs: follow the code (#%s)\n\n%s", t.s.Issue(), text.Quote(changed, 5)))
		if err != nil {
			return move{}, err
		}
		if hash != "" {
			t.tell(Note{Kind: Committed, Text: "docs: follow the code", Link: Link{Hash: hash}})
			t.pass("docs committed")
		}
	}
	high, err := t.Docs.Drift()
	if err != nil {
		return move{}, fmt.Errorf("auditing the documentation: %w", err)
	}
	passed := len(high) == 0
	row := evidence.Gate{Issue: t.s.Issue(), Chunk: t.s.Chunk.Index, Event: string(drivestate.DriftClean), Gate: driftGate, Passed: passed,
		Reason: text.Clip(strings.Join(high, "\n"), maxReason)}
	if !passed {
		if row.Tree, err = t.snapshotWorkTree(); err != nil {
			return move{}, err
		}
	}
	t.recordEvidence(t.s, event.Gate, row)
	t.tell(Note{Kind: Gated, Text: driftGate, Passed: &passed})
	if passed {
		return move{on: drivestate.DriftClean}, nil
	}
	return move{on: drivestate.DriftBlocked, data: data{Failure: row.Reason}}, nil
}

// commitBetween commits the difference of two trees; "" if there is none.
func commitBetween(ctx context.Context, t *turn, from, to, message string) (string, error) {
	c := gitwrite.Change{Base: from, Tree: to, Exclude: []string{".claude"}, Message: fmt.Sprintf("%s\n\nRefs: #%s\n", message, t.s.Issue())}
	hash, _, err := t.lander.Commit(ctx, land.Commit{Change: c, Branch: t.s.BranchName(), Hooked: true})
	return hash, secretsNeedPerson(err)
}

// findDrift returns the gate result by which the documentation sent the chunk back, if any.
func findDrift(t *turn) (evidence.Gate, bool) {
	g, ok := evidence.Last(t.evidenceOfIssue(t.s).Gates, func(g evidence.Gate) bool { return g.Chunk == t.s.Chunk.Index && g.Gate == driftGate && !g.Passed })
	return g.Row, ok && g.Row.Tree != ""
}

// commitBase returns the tree that the chunk's next commit builds on: the chunk's base or, if it
// was sent back, what was committed.
func commitBase(t *turn) string {
	if g, ok := findDrift(t); ok {
		return g.Tree
	}
	return t.s.Chunk.Base
}

// revertChunk reverts the commits of a chunk that is skipped after all.
func revertChunk(ctx context.Context, t *turn) error {
	from := commitBase(t)
	if from == t.s.Chunk.Base {
		return nil
	}
	tip, err := t.lander.Tip(t.s.BranchName())
	if err != nil {
		return err
	}
	hash, err := commitBetween(ctx, t, from, t.s.Chunk.Base, fmt.Sprintf("revert: #%s chunk %d, given up", t.s.Issue(), t.s.Chunk.Index))
	if err != nil || hash == "" {
		return err
	}
	if err := t.Drive.Watch.RecordMoves("drive", drivestate.Move{Branch: t.s.BranchName(), Old: tip, New: hash}); err != nil {
		return err
	}
	t.pass("reverted")
	return pushBranch(ctx, t, hash)
}
