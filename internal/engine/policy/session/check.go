package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/commit"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/sys/gitwrite"
)

// checkIteration runs an iteration's checks, keeps its output for later stages, and commits its
// changes if the stage commits. It reports whether the checks passed; without any, they pass.
func (b *iterating) checkIteration(ctx context.Context, it Iteration, o opening, out *Outcome) (ok bool, err error) {
	failed, tree, ran, brought := "", "", false, false
	if b.unit.stage.Commit && b.unit.member == nil {
		list, err := b.run.uncommittedChoices(b.unit, o)
		if err != nil {
			return false, err
		}
		brought = len(list) > 0 || o.Earlier != nil && b.unit.lastFailure() == "" // an agent failed: it was not checked
	}
	if !out.Row.Changed && o.Item == nil && !brought {
		failed = b.unit.lastFailure() // nothing changed since the last check
	} else {
		if o.Tree != "" {
			if tree, err = b.taker.Guard.Snapshot(); err != nil {
				return false, err
			}
		}
		if failed, ran, err = b.runChecks(ctx, it, o, tree); err == nil {
			err = b.saveCheckResult(failed)
		}
		if err != nil {
			return false, err
		}
	}
	if ok = failed == ""; !ok {
		out.Row.Gates = sessionstate.Fail
	} else if ran {
		out.Row.Gates = sessionstate.Pass
	}
	err = b.run.files.saveOutput(b.unit, it.Number)
	if err == nil && ok && b.unit.stage.Commit && b.unit.member == nil && tree != "" && (len(out.Files) > 0 || brought || o.Earlier != nil) {
		err = b.commitIteration(ctx, it, o, tree, out)
	}
	if refused, is := errors.AsType[land.Refusal](err); is { // the agent is told, and can still fix it
		b.tellVerified(it, refused.Brief(), false)
		out.Row.Gates = sessionstate.Fail
		return false, b.unit.saveFailure(b.run.Redact(refused.Error()))
	}
	return ok, err
}

func (b *iterating) tellVerified(it Iteration, what string, passed bool) {
	b.run.tell(Note{Kind: Verified, Stage: b.unit.shown, Iteration: it.Number, Text: what, Passed: &passed})
}

// runChecks runs an iteration's checks until one fails, and returns that one's output.
func (b *iterating) runChecks(ctx context.Context, it Iteration, o opening, tree string) (failed string, ran bool, err error) {
	lines := b.run.checkCommands(b.unit)
	if failed, err = b.explainWeakened(ctx, o, tree, lines); err != nil || failed != "" {
		if failed != "" {
			b.tellVerified(it, "integrity: "+failed, false)
		}
		return failed, ran, err
	}
	if len(lines) == 0 {
		return "", false, nil
	}
	if len(lines) == 1 {
		if c := b.candidate(o, tree); c.Base != "" && b.suite(c, lines[0]) != nil {
			return b.runOnlyCheck(ctx, it, c, lines[0])
		}
	}
	place, err := b.checkSite(tree).Enter(ctx)
	if err != nil {
		return "", false, err
	}
	defer func() { err = errors.Join(err, place.Leave()) }()
	for _, line := range lines {
		left, err := b.run.spending.timeLeft(b.taker.Bounds)
		if err != nil {
			return "", ran, err
		}
		if failed, err = b.run.runCheck(ctx, line, place, left); err != nil {
			return "", ran, err
		}
		ran = true
		if b.tellVerified(it, line, failed == ""); failed != "" {
			break
		}
	}
	if g := b.taker.Guard; ran && g != nil { // what checks leave behind is not a person's
		err = g.Settle(ctx)
	}
	return failed, ran, err
}

// checkSite returns where checks run on a tree.
func (b *iterating) checkSite(tree string) judge.Site {
	return judge.Site{Dir: b.dir, Rooms: b.run.Checks.Rooms, Tree: tree, Base: b.run.shield.recordedBase(0)}
}

// runCheck runs a command line, and returns its output if it fails.
func (r *run) runCheck(ctx context.Context, line string, place *judge.Place, left time.Duration) (failed string, err error) {
	c := judge.Command{Line: line, Environ: r.Checks.Environ}
	if left > 0 {
		c.Limit = min(left, judge.CommandTime)
	}
	said, err := place.Run(ctx, c)
	if err == nil && !said.Passed {
		failed = r.Redact(said.String())
	}
	return failed, err
}

// checkCommands returns the command lines that must pass after an iteration: the stage's own or, if
// it commits, the project's.
func (r *run) checkCommands(u unit) (lines []string) {
	for _, name := range u.stage.Verify {
		for _, c := range r.Plan.Commands {
			if c.Name == name {
				lines = append(lines, c.Line)
			}
		}
	}
	if len(lines) == 0 && u.stage.Commit && r.Checks.Verify != "" {
		return []string{r.Checks.Verify}
	}
	return lines
}

// commitIteration commits what the iteration's agent changed and what earlier ones left uncommitted,
// and nothing else: the checks passed on both together.
func (b *iterating) commitIteration(ctx context.Context, it Iteration, o opening, tree string, out *Outcome) (err error) {
	r, g, l := b.run, b.taker.Guard, b.lane
	if o.Earlier, err = o.stillEarlier(g.Work.Repo().Trees(), tree, out.Files); err != nil {
		return err
	}
	if tree, err = g.Work.Repo().Trees().Graft(ctx, o.Tree, tree, out.Files); err != nil {
		return err
	}
	if err := r.files.noteItem(o.Item); err != nil {
		return err
	}
	base, err := r.ownBase(ctx, b.unit, o)
	if err != nil {
		return err
	}
	said := *out
	if out.Unreadable {
		said.Row.Summary = "" // the error would be the commit's subject
	}
	err = l.commit(ctx, b.unit, it.Number, said, o.Head, land.Commit{Asked: b.candidate(o, tree).Criteria, Change: gitwrite.Change{Base: base, Tree: tree}})
	if _, mixed := errors.AsType[*gitwrite.MixedError](err); mixed {
		r.remark("what iteration %d changed is not committed: %v", it.Number, err)
		return nil
	}
	return err
}

// commit commits a change of an iteration that began at a commit, once, and tells people.
func (l *lane) commit(ctx context.Context, u unit, number int, said Outcome, began string, c land.Commit) (err error) {
	r := l.run
	if c.Branch = l.branch; c.Branch == "" {
		if c.Branch, err = l.guard.Work.Repo().Branch(); err != nil {
			return err
		}
	}
	c.Trailer, c.Exclude = fmt.Sprintf("Warp-Iteration: %s/%d", u.name, number), l.guard.Private()
	subject := l.land.Style(ctx).Subject(workOf(said, r.Name))
	c.Message = r.Redact(commit.Message(subject, said.Row.Summary, "Warp-Session: "+r.Name, c.Trailer))
	if began != "" {
		c.Since = []string{began}
	}
	hash, again, err := l.land.Commit(ctx, c)
	if err == nil && hash != "" && !again {
		r.tell(Note{Kind: Committed, Stage: u.shown, Iteration: number, Hash: hash, Text: subject})
	}
	if elsewhere, is := errors.AsType[*land.BranchError](err); is {
		return fmt.Errorf("%w: git switch %s in %s, then warp sessions resume %s", err, elsewhere.Want, l.guard.Root, r.Name)
	}
	return err
}

// workOf returns what the subject of an iteration's commit is made from.
func workOf(said Outcome, name string) commit.Work {
	title, _, _ := strings.Cut(text.FirstLine(strings.TrimSpace(said.Row.Summary)), ". ")
	if said.Row.Item != "" {
		title = strings.TrimSuffix(said.Row.Item+": "+title, ": ")
	}
	return commit.Work{Said: []string{said.Commit}, Title: cmp.Or(title, "an iteration of "+name), Kind: "chore", Again: "pass"}
}
