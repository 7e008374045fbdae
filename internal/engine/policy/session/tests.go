package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

// suite returns a check as tests that are compared with the old ones; nil if they cannot be.
func (b *iterating) suite(c judge.Candidate, line string) *judge.Tests {
	return b.run.commandSetup().NewTests(c, b.checkSite(""), judge.Command{Line: line})
}

// commandSetup returns how the session's checks run.
func (r *run) commandSetup() judge.CommandSetup {
	return judge.CommandSetup{Environ: r.Checks.Environ, Rooms: r.Checks.Rooms, Protected: r.Checks.Protected, State: r.State}
}

// checkReady requires, before the first iteration, that the checks can prove something.
func (b *iterating) checkReady(ctx context.Context, i int) error {
	number, _ := b.run.doc.Now().Resumable(i)
	lines, g := b.run.checkCommands(b.unit), b.taker.Guard
	if number > 1 || len(lines) == 0 || g == nil {
		return nil
	}
	tree, err := g.Snapshot()
	if err != nil {
		return err
	}
	if base := b.run.shield.recordedBase(0); base != "" { // an agent's work never runs in the project's folder
		began, err := gate.TreeOf(ctx, g.Work.Repo(), base)
		if err != nil || began != tree {
			return err
		}
	}
	commands := make([]judge.Command, len(lines))
	for i, line := range lines {
		commands[i] = judge.Command{Line: line, Tests: line == b.run.Checks.Verify, Environ: b.run.Checks.Environ}
	}
	site := b.checkSite(tree)
	site.Dir = b.run.Root // its own work tree lacks what git ignores, too
	err = site.CheckReady(ctx, commands...)
	if unready := (*judge.UnreadyError)(nil); errors.As(err, &unready) {
		return &step.StoppedError{Why: b.run.Redact(unready.Error()), Do: unready.Do()}
	}
	return err
}

// explainWeakened returns how the session weakened its tests, in this stage or an earlier one, or
// "".
func (b *iterating) explainWeakened(ctx context.Context, o opening, tree string, lines []string) (string, error) {
	c := b.candidate(o, tree)
	if c.Base == "" {
		return "", nil
	}
	return b.run.commandSetup().CheckEach(ctx, b.run.Checks.Integrity, c, b.checkSite(""), append(lines, b.run.Checks.Verify)...)
}

// candidate returns what the session has made so far, without a base if nothing can be compared.
func (b *iterating) candidate(o opening, tree string) (c judge.Candidate) {
	g := b.taker.Guard
	if tree == "" || g == nil {
		return c
	}
	c = judge.Candidate{Repo: g.Work.Repo(), Prefix: g.Work.Root().Folder(), Base: b.run.shield.recordedBase(0), Tree: tree, Criteria: []string{b.run.Task}}
	if o.Item != nil {
		c.Criteria = append(c.Criteria, o.Item.Title, o.Item.Text)
	}
	return c
}

// runOnlyCheck runs the only check as tests, which may lose none that passed before.
func (b *iterating) runOnlyCheck(ctx context.Context, it Iteration, c judge.Candidate, line string) (failed string, ran bool, err error) {
	left, err := b.run.spending.timeLeft(b.taker.Bounds)
	if err != nil {
		return "", false, err
	}
	tests := b.suite(c, line)
	if left > 0 {
		tests.Command.Limit = min(left, judge.CommandTime)
	}
	now, err := tests.RunAgain(ctx, c.Tree, tests.Command)
	if err != nil {
		return "", false, err
	}
	if !now.Result.Passed {
		failed = b.run.Redact(now.Result.String())
		chance, err := tests.IsFlaky(ctx, c.Base, c.Tree, now.Result)
		if err != nil {
			return "", false, err
		}
		if chance {
			b.run.remark("%s: %s", judge.FlakyTests, failed)
			failed = ""
		}
	} else if f, err := tests.FindLostTests(ctx, c); err != nil || f.Why() != "" {
		failed = f.Why()
		if err != nil {
			return "", false, err
		}
	}
	b.tellVerified(it, line, failed == "")
	return failed, true, nil
}

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
