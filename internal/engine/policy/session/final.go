package session

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/durable"
)

// remember keeps what the checks said, and what they said it of. Without any, none is run
// again at the end, and a snapshot would be compared with nothing.
func (b *iterating) remember(failed string) (err error) {
	b.green = ""
	if g := b.taker.Guard; failed == "" && g != nil && len(b.run.checkCommands(b.unit)) > 0 {
		if b.green, err = g.Snapshot(); err != nil {
			return err
		}
	}
	return b.unit.remember(failed)
}

// checkEnd runs the checks on what is there at the end, unless they have passed on
// it: the last iteration may have changed something and crashed, or none may have
// changed anything that was red before. What a stage that commits could not commit
// stays so, whatever the checks say now.
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
		if tree, err = g.Snapshot(); err != nil || !red && tree == b.green {
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
	return b.remember(failed)
}

// hasChanged tells whether an iteration of the unit has changed anything.
func (b *iterating) hasChanged() bool {
	for _, row := range b.run.doc.Now().Rows(b.unit.index) {
		if row.Changed {
			return true
		}
	}
	return false
}

// readerWithoutInput says which stage reads the output of a unit that has left none; "": it has
// left some, or need not.
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

// leaveSummary is the output of a unit until its gates pass: what its last iteration
// came to, as no agent of it is asked for one.
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
