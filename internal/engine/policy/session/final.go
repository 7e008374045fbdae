package session

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/durable"
)

// saveCheckResult saves the checks' output, and the tree if they passed. Without checks none is run
// again at the end, and nothing would be compared with a snapshot.
func (b *iterating) saveCheckResult(failed string) (err error) {
	b.passedTree = ""
	if g := b.taker.Guard; failed == "" && g != nil && len(b.run.checkCommands(b.unit)) > 0 {
		if b.passedTree, err = g.Snapshot(); err != nil {
			return err
		}
	}
	return b.unit.saveFailure(failed)
}

// checkEnd runs the checks on the final tree, unless they already passed on it: the last iteration
// may have changed something and crashed, or none may have changed what was red before. What a
// committing stage could not commit stays uncommitted, whatever the checks say now.
func (b *iterating) checkEnd(ctx context.Context) error {
	red := b.unit.lastFailure() != ""
	if len(b.run.checkCommands(b.unit)) == 0 || red && b.unit.stage.Commit || len(b.unit.stage.Verify) == 0 && !b.hasChanged() {
		return nil
	}
	if err := b.enterWorkTree(ctx); err != nil {
		return err
	}
	tree := ""
	if g := b.taker.Guard; g != nil {
		var err error
		if tree, err = g.Snapshot(); err != nil || !red && tree == b.passedTree {
			return err
		}
	}
	st, err := b.run.doc.Now().Stage(b.unit.index)
	if err != nil {
		return err
	}
	failed, _, err := b.runChecks(ctx, Iteration{Number: st.IterationCompleted}, opening{}, tree)
	if err != nil {
		return err
	}
	return b.saveCheckResult(failed)
}

// hasChanged reports whether any iteration of the unit changed something.
func (b *iterating) hasChanged() bool {
	for _, row := range b.run.doc.Now().Rows(b.unit.index) {
		if row.Changed {
			return true
		}
	}
	return false
}

// readerWithoutInput returns the stage that reads the unit's output although there is none; "" if
// there is output or none is needed.
func (f *files) readerWithoutInput(u unit) string {
	text, err := durable.ReadPlain(u.pathOf(outputFile))
	if u.stage.MayBeEmpty || err == nil && strings.TrimSpace(string(text)) != "" {
		return ""
	}
	for _, reader := range f.units {
		for _, in := range reader.stage.Inputs {
			if in.From == u.name {
				return reader.stage.ID
			}
		}
	}
	return ""
}

// leaveSummary writes the last iteration's summary as the output of a unit with gates, since its
// agents are not asked for one.
func leaveSummary(r *run, u unit) error {
	until, err := sessionstate.ParseUntil(u.stage.Until)
	rows := r.doc.Now().Rows(u.index)
	if err != nil || until.Kind != sessionstate.Gates || len(rows) == 0 || r.files.readerWithoutInput(u) == "" {
		return nil
	}
	if err := durable.WriteFile(u.pathOf(outputFile), []byte(rows[len(rows)-1].Summary+"\n"), 0o644); err != nil {
		return fmt.Errorf("keeping the output of stage %s: %w", u.name, err)
	}
	return nil
}
