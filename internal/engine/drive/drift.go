package drive

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/sys/work"
)

// Docs holds the documentation against the code.
type Docs interface {
	// Sync mends what can be mended without thinking, and names the files.
	Sync() (changed []string, err error)
	// Drift lists what is left that misleads its readers.
	Drift() (high []string, err error)
}

// driftGate is what the gate on documentation is called in evidence.
const driftGate = "doc_drift"

// drift mends the documentation in a commit of its own, and goes back to coding
// when something is left that needs a mind.
func (e *Engine) drift(ctx context.Context, s *drive.State) (move, error) {
	if e.Docs == nil {
		return move{on: drive.DriftClean}, nil
	}
	before, err := e.look()
	if err != nil {
		return move{}, err
	}
	changed, err := e.Docs.Sync()
	if err != nil {
		return move{}, fmt.Errorf("mending the documentation: %w", err)
	}
	if len(changed) > 0 {
		if err := e.commitDocs(ctx, s, before, changed); err != nil {
			return move{}, err
		}
	}
	high, err := e.Docs.Drift()
	if err != nil {
		return move{}, fmt.Errorf("auditing the documentation: %w", err)
	}
	passed := len(high) == 0
	row := evidence.Gate{Issue: s.Issue(), Chunk: s.Chunk.Index, Event: string(drive.DriftClean), Gate: driftGate, Passed: passed, Reason: text.Clip(strings.Join(high, "\n"), maxReason)}
	if !passed {
		if row.Tree, err = e.look(); err != nil {
			return move{}, err
		}
	}
	e.keep(s, event.Gate, row)
	e.tell(Note{Kind: Gated, Text: driftGate, Passed: &passed})
	if passed {
		return move{on: drive.DriftClean}, nil
	}
	return move{on: drive.DriftBlocked, data: data{Failure: row.Reason}}, nil
}

// sentBack is why the documentation has sent the chunk back, if it has.
func (e *Engine) sentBack(s *drive.State) (evidence.Gate, bool) {
	g, ok := evidence.Last(e.page(s).Gates, func(g evidence.Gate) bool { return g.Chunk == s.Chunk.Index && g.Gate == driftGate && !g.Passed })
	return g.Row, ok && g.Row.Tree != ""
}

// from is the tree that the chunk's next commit begins with: as the chunk began,
// or, where it was sent back, as it was committed.
func (e *Engine) from(s *drive.State) string {
	if g, ok := e.sentBack(s); ok {
		return g.Tree
	}
	return s.Chunk.Base
}

// revert takes back what was committed of a chunk that is given up after all.
func (e *Engine) revert(ctx context.Context, s *drive.State) error {
	from := e.from(s)
	if from == s.Chunk.Base {
		return nil
	}
	tip, err := e.branchTip(s.BranchName())
	if err != nil {
		return err
	}
	hash, err := e.Work.Commit(ctx, work.Change{Base: from, Tree: s.Chunk.Base, Exclude: []string{".claude"},
		Message: fmt.Sprintf("revert: #%s chunk %d, given up\n\nRefs: #%s\n", s.Issue(), s.Chunk.Index, s.Issue())})
	if errors.Is(err, work.ErrNothing) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := e.Drive.Watch.RecordMoves("drive", drive.Move{Branch: s.BranchName(), Old: tip, New: hash}); err != nil {
		return err
	}
	e.passed("reverted")
	e.push(ctx, s)
	return nil
}

// commitDocs commits what was mended. When the engine dies after it, nothing is
// left to mend.
func (e *Engine) commitDocs(ctx context.Context, s *drive.State, before string, changed []string) error {
	after, err := e.look()
	if err != nil {
		return err
	}
	hash, err := e.Work.Commit(ctx, work.Change{Base: before, Tree: after, Exclude: []string{".claude"},
		Message: fmt.Sprintf("docs: follow the code (#%s)\n\n%s\n\nRefs: #%s\n", s.Issue(), text.Quote(changed, 5), s.Issue())})
	if errors.Is(err, work.ErrNothing) {
		return nil
	}
	if err != nil {
		return err
	}
	e.tell(Note{Kind: Committed, Text: "docs: follow the code", Hash: hash})
	e.passed("docs committed")
	return nil
}
