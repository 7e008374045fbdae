package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
)

// gateConflict is the gate that what an agent made of a conflict has to pass.
const gateConflict = "conflict resolution"

// examineResolution returns what became of the branch, or "" when something is wrong with
// it. That is kept, and nothing more.
func (e *merger) examineResolution(ctx context.Context, s *drive.State, r resolution) (string, error) {
	for _, look := range []func(context.Context, *drive.State, resolution) (string, error){e.findStrayChanges, e.findWeakenedTests, e.verifyAgain} {
		why, err := look(ctx, s, r)
		if err != nil {
			return "", err
		}
		if why != "" {
			e.recordMergeGate(s, gateConflict, why, false)
			e.ledger.intervene(s, "conflict", e.trees.salvage(ctx, s, "resolution", r.next), "what the agent made of the conflict is not merged: %s", why)
			return "", nil
		}
	}
	e.recordMergeGate(s, gateConflict, "", true)
	return r.next, nil
}

// findStrayChanges says what the agent did besides: commits that the branch has not, and
// changes in files that neither were in conflict nor are the branch's.
func (e *merger) findStrayChanges(ctx context.Context, _ *drive.State, r resolution) (string, error) {
	had, err := e.trees.repo().Commits(r.tip, r.target)
	if err != nil {
		return "", err
	}
	has, err := e.trees.repo().Commits(r.next, r.target)
	if err != nil {
		return "", err
	}
	var messages []string
	for _, c := range had {
		messages = append(messages, c.Message)
	}
	for _, c := range has {
		if !slices.Contains(messages, c.Message) {
			return fmt.Sprintf("it has a commit that is not the branch's: %q", text.FirstLine(c.Message)), nil
		}
	}
	base, err := e.trees.askGit(ctx, "merge-base", r.tip, r.target)
	if err != nil {
		return "", err
	}
	own, err := e.trees.repo().Changes(base, r.tip)
	if err != nil {
		return "", err
	}
	theirs, err := e.trees.repo().Changes(base, r.target)
	if err != nil {
		return "", err
	}
	now, err := e.trees.repo().Changes(r.target, r.next)
	if err != nil {
		return "", err
	}
	allowed := append(git.Paths(own), r.files...)
	for _, c := range theirs {
		if c.Status == 'R' && slices.Contains(allowed, c.OldPath) { // it is called otherwise now
			allowed = append(allowed, c.Path)
		}
	}
	if list := without(git.Paths(now), allowed); len(list) > 0 {
		return "it changes files that were not in conflict and are not the branch's: " + text.Quote(list, 5), nil
	}
	return "", nil
}

// findWeakenedTests says what is done to the tests, or to how they are run, that no
// criterion asks for.
func (e *merger) findWeakenedTests(_ context.Context, s *drive.State, r resolution) (string, error) {
	return judge.ReadTests(e.candidate(s, r.target, r.next))
}

// candidate is what is to be merged, and what it is held against.
func (e *merger) candidate(s *drive.State, base, tip string) judge.Candidate {
	c := judge.Candidate{Repo: e.trees.repo(), Base: base, Tree: tip, Prefix: e.trees.prefix(), Tests: e.tester.suiteCommand()}
	for _, id := range e.merger.doneCriteria(s) {
		c.Asked = append(c.Asked, s.Written(id))
	}
	return c
}

// verifyAgain has all criteria judged again by what the branch is now, in a work
// tree that has nothing else.
func (e *merger) verifyAgain(ctx context.Context, s *drive.State, r resolution) (string, error) {
	tree, err := e.trees.askGit(ctx, "rev-parse", "--verify", "-q", r.next+"^{tree}")
	if err != nil {
		return "", err
	}
	apart, err := e.Work.Checkout(ctx, "issue-"+s.Issue(), r.next)
	if err != nil {
		return "", err
	}
	defer func() { _ = e.Work.Abandon(context.WithoutCancel(ctx), apart.Top()) }() // warp clean finds it
	return e.reviewer.judge(ctx, s, sight{dir: apart.Dir, base: r.target, tree: tree, criteria: e.doneCriteria(s)})
}

// recordMergeGate keeps what was found out about what is to be merged, as a gate of the
// whole requirement.
func (e *merger) recordMergeGate(s *drive.State, gate, reason string, passed bool) {
	e.ledger.keepRows(s, event.Gate, evidence.Gate{Issue: s.Issue(), Event: string(drive.Merged), Gate: gate, Passed: passed, Reason: reason})
	if reason != "" {
		gate += ": " + reason
	}
	e.ledger.tell(Note{Kind: Gated, Event: drive.Merged, Text: gate, Passed: &passed})
}

// askGit is the one line that git prints.
func (e *trees) askGit(ctx context.Context, args ...string) (string, error) {
	a, err := e.repo().Run(ctx, git.Call{Args: args})
	if err == nil && a.Exit != 0 {
		err = &git.Failure{Args: args, Dir: e.repo().Dir, Exit: a.Exit, Stderr: a.Stderr}
	}
	return strings.TrimSpace(string(a.Stdout)), err
}
