package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/session"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/sys/work"
)

// check runs what verifies an iteration, keeps its output for later stages, and
// commits what it changed where the stage wants that. It tells whether the checks
// passed; without any, nothing speaks against it.
func (b *iterating) check(ctx context.Context, it Iteration, o opening, out *Outcome) (ok bool, err error) {
	failed, tree, ran := "", "", false
	if out.Row.Changed || o.Item != nil { // else what was checked before is as it was
		if o.Tree != "" {
			if tree, err = b.taker.Guard.Snapshot(); err != nil {
				return false, err
			}
		}
		if failed, ran, err = b.verify(ctx, it, o, tree); err != nil {
			return false, err
		}
		if err := b.remember(b.unit, failed); err != nil {
			return false, err
		}
	}
	if ok = failed == ""; !ok {
		out.Row.Gates = session.Fail
	} else if ran {
		out.Row.Gates = session.Pass
	}
	if err := b.collect(it.Number); err != nil {
		return ok, err
	}
	if ok && b.units[b.unit].stage.Commit && b.units[b.unit].member == nil && tree != "" && len(out.Files) > 0 {
		return ok, b.commit(ctx, it, o, tree, out)
	}
	return ok, nil
}

// verify runs the checks of an iteration until one fails, and says what it said.
func (b *iterating) verify(ctx context.Context, it Iteration, o opening, tree string) (failed string, ran bool, err error) {
	lines := b.checks()
	if failed, err = b.weakened(o, tree, lines); err != nil || failed != "" {
		if failed != "" {
			b.verified(it, "integrity: "+failed, false)
		}
		return failed, ran, err
	}
	for _, line := range lines {
		left, err := b.timeLeft(b.taker.Bounds)
		if err != nil {
			return "", ran, err
		}
		c := judge.Command{Line: line, Dir: b.dir, Environ: b.Checks.Environ}
		if left > 0 {
			c.Limit = min(left, judge.CommandTime)
		}
		said, err := c.Run(ctx)
		if err != nil {
			return "", ran, err
		}
		ran = true
		b.verified(it, line, said.Passed)
		if !said.Passed {
			failed = b.Redact(said.String())
			break
		}
	}
	if g := b.taker.Guard; ran && g != nil { // what checks leave behind is not a person's
		err = g.Settle(ctx)
	}
	return failed, ran, err
}

func (b *iterating) verified(it Iteration, what string, passed bool) {
	b.tell(Note{Kind: Verified, Stage: b.shown(b.unit), Iteration: it.Number, Text: what, Passed: &passed})
}

// weakened says how the loop has made its tests worth less; "": it has not.
func (b *iterating) weakened(o opening, tree string, lines []string) (string, error) {
	base := ""
	if tree != "" {
		if base = b.baseOf(0); base == "" { // what an earlier stage has done counts, too
			base = b.baseOf(b.unit)
		}
	}
	if base == "" {
		return "", nil
	}
	c := judge.Candidate{Repo: b.taker.Guard.Work.Repo(), Base: base, Tree: tree, Asked: []string{b.Task}}
	if prefix, err := filepath.Rel(b.taker.Guard.Work.Top(), b.dir); err == nil && prefix != "." {
		c.Prefix = filepath.ToSlash(prefix)
	}
	if o.Item != nil {
		c.Asked = append(c.Asked, o.Item.Title, o.Item.Text)
	}
	return b.Checks.weakened(c, append(lines, b.Checks.Verify))
}

// weakened asks about each command that tests are run with.
func (k Checks) weakened(c judge.Candidate, lines []string) (string, error) {
	ask := k.Integrity
	if ask == nil {
		ask = judge.ReadTests
	}
	for _, line := range lines {
		c.Tests = line
		if why, err := ask(c); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// checks are the command lines that must pass after an iteration: those that the
// stage names, or, where it is to be committed, the project's own.
func (b *iterating) checks() (lines []string) {
	stage := b.units[b.unit].stage
	for _, name := range stage.Verify {
		for _, c := range b.Plan.Commands {
			if c.Name == name {
				lines = append(lines, c.Line)
			}
		}
	}
	if len(lines) == 0 && stage.Commit && b.Checks.Verify != "" {
		return []string{b.Checks.Verify}
	}
	return lines
}

// collect keeps a copy of the output of an iteration where a later stage reads
// those of all.
func (b *iterating) collect(number int) error {
	if !b.wanted(b.unit) {
		return nil
	}
	text, err := os.ReadFile(b.outputFile(b.unit))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	dir := filepath.Join(b.folder(b.unit), "outputs")
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.md", number)), text, 0o644)
	}
	return err
}

// commit commits what the agent of an iteration changed, and nothing else.
func (b *iterating) commit(ctx context.Context, it Iteration, o opening, tree string, out *Outcome) error {
	repo := b.guard.Work.Repo()
	on, err := b.doc.Now().Branch, error(nil)
	if on == "" {
		on, err = repo.Branch()
	}
	if err != nil {
		return err
	}
	if tree, err = repo.Graft(ctx, o.Tree, tree, out.Files); err != nil {
		return err
	}
	trailer := fmt.Sprintf("Warp-Iteration: %s/%d", b.units[b.unit].name, it.Number)
	c := land.Commit{Branch: on, Trailer: trailer, Change: work.Change{Base: o.Tree, Tree: tree, Exclude: b.guard.Private(),
		Message: fmt.Sprintf("%s\n\nWarp-Session: %s\n%s\n", subject(out.Row, b.Name), b.Name, trailer)}}
	if o.Head != "" {
		c.Since = []string{o.Head}
	}
	l := land.Lander{Work: b.guard.Work, Guard: b.guard, Remark: b.remark, Passed: func(string) { b.passed("committed") }, Now: b.Now}
	hash, again, err := l.Commit(ctx, c)
	var mixed *work.MixedError
	if errors.As(err, &mixed) {
		b.remark("what iteration %d changed is not committed: %v", it.Number, err)
		return nil
	}
	var elsewhere *land.BranchError
	if errors.As(err, &elsewhere) {
		return fmt.Errorf("%w: git switch %s, then warp sessions resume %s", err, on, b.Name)
	}
	if err == nil && hash != "" && !again {
		b.tell(Note{Kind: Committed, Stage: b.shown(b.unit), Iteration: it.Number, Hash: hash, Text: subject(out.Row, b.Name)})
	}
	return err
}

// subject is the first line of a commit.
func subject(row session.Row, name string) string {
	what := text.Opening(row.Summary)
	if row.Item != "" {
		what = row.Item + ": " + what
	}
	if what == "" {
		what = "an iteration of " + name
	}
	return "chore: " + strings.TrimSpace(text.ClipRunes(what, 60))
}
