package drive

import (
	"context"
	"errors"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/scope"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

const mostIgnored = 50 // files listed for a verifier

// verifierInput returns what the verifier sees of the present chunk.
func verifierInput(e *Engine, s *drivestate.State, tree string) gate.VerifierInput {
	if t := (&turn{e, s}); t.following() != nil {
		// A fix is only a few lines, so the criteria are judged by the whole branch.
		if base, err := gate.MergeBase(context.Background(), e.repo(), "refs/heads/"+s.BranchName(), "refs/heads/"+s.MergeTarget); err == nil {
			return gate.VerifierInput{Dir: e.Drive.Root(), Base: base, Tree: tree, Criteria: s.Chunk.ToConfirm(drivestate.RequirementDone)}
		}
	}
	return gate.VerifierInput{Dir: e.Drive.Root(), Base: judgingBase(&turn{e, s}), Tree: tree, Criteria: s.Chunk.Present()}
}

// integrityGate returns the gate against work that cannot be committed. The other gates check the
// tree that it saw.
func integrityGate(e *Engine) turnstile.Gate {
	return turnstile.Gate{Name: "integrity", When: turnstile.First, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		t := &turn{e, s}
		tree, err := e.Drive.Tree.Fingerprint()
		e.chunk.tree = tree
		if err != nil || s.Chunk.Base == "" {
			return "", err
		}
		if g, ok := findDrift(t); ok && g.Tree == tree {
			return "nothing changed, and the documentation is still wrong: " + g.Reason, nil
		}
		changes, err := e.Drive.Tree.CompareTrees(s.Chunk.Base, tree)
		if err != nil {
			return "", err
		}
		e.chunk.ignores = gate.EditsIgnores(changes)
		at := s.Budgets.PhaseStartedAt
		if s.Tokens.CurrentStartedAt != nil {
			at = *s.Tokens.CurrentStartedAt
		}
		began, _ := time.Parse(time.RFC3339, at) // the zero time if unknown
		return gate.CheckChange(ctx, changes, e.Work.Top(), began)
	}}
}

// newCandidate returns the tree to judge, with its base.
func newCandidate(t *turn, base, tree string, criteria []string) judge.Candidate {
	c := judge.Candidate{Repo: t.repo(), Base: base, Tree: tree, Prefix: t.Work.Root().Folder(), Tests: suiteCommand(t.Engine), Suite: t.tests}
	for _, id := range criteria {
		c.Criteria = append(c.Criteria, t.s.CriterionText(id))
	}
	return c
}

// judgeTree has the verifier judge criteria, unless the engine died after it did, and returns which
// are not met.
func judgeTree(ctx context.Context, t *turn, w gate.VerifierInput, ignored []string) (string, error) {
	if gate.WasJudged(t.evidenceOfIssue(t.s).Verdicts, t.s.Chunk.Index, w) && !claimsUnasked(t) {
		return "", nil
	}
	if why := standingVerdict(t, w); why != "" {
		return why, nil
	}
	var last step.Answer
	dir, leave, err := openJudgingFolder(ctx, t, w)
	if err != nil {
		return "", err
	}
	defer func() { _ = leave() }() // the room is swept before it is used again
	w.Dir = dir
	shown, err := unaskedForVerifier(ctx, t, w)
	if err != nil {
		return "", err
	}
	claim := ""
	if len(shown) > 0 {
		claim = claimUnasked(t)
	}
	verdicts, err := gate.Verifier{Work: t.Work,
		Prompt: func(diff string, cut bool) string {
			set, _ := checksOf(t) // read a moment ago
			v := verification{contracts: set.Contracts(w.Criteria), proven: listGreen(t, set, w.Criteria), judged: criteriaByID(t.s, w.Criteria), diff: diff, cut: cut, ignored: ignored, changed: t.chunk.changed, tests: testsSaid(t, w.Tree), decisions: decisionsMade(t), objection: objection(t), verdict: lastRefusal(t),
				done: doneBefore(t), whole: wasDoneBefore(t), unasked: scope.Describe(shown), claim: claim}
			return v.prompt(t.issue)
		},
		Ask: func(ctx context.Context, dir string, task agent.Task) (step.Answer, error) {
			var err error
			last, err = askAgent(ctx, t, dir, task)
			return last, err
		},
	}.JudgeCriteria(ctx, w)
	if unheard, is := errors.AsType[*gate.UnheardError](err); is {
		return "", needsPerson("warp resume asks again; warp log shows what was said", "%v", unheard)
	}
	if err != nil {
		return "", err
	}
	if err := recordJudgedUnasked(t, last, w, shown); err != nil {
		return "", err
	}
	var rows []any
	for _, v := range verdicts {
		v.Issue, v.Chunk = t.s.Issue(), t.s.Chunk.Index
		rows = append(rows, v)
		t.tell(Note{Kind: Judged, Text: v.ID + ": " + v.Reason, Passed: &v.Met})
	}
	t.recordEvidence(t.s, event.Verdict, rows...)
	t.pass("verified")
	return gate.ListUnmet(verdicts), nil
}

// listNewlyIgnored lists files that the chunk's own edit of .gitignore keeps out of its commit:
// they do not count as work.
func listNewlyIgnored(ctx context.Context, e *Engine) []string {
	if !e.chunk.ignores {
		return nil
	}
	list, err := gate.ListIgnoredFiles(ctx, e.repo())
	if err != nil {
		return nil
	}
	return list[:min(len(list), mostIgnored)]
}

// judgeHookChanges runs the gates of code_complete on what commit hooks changed since, and returns
// why they refuse.
func judgeHookChanges(ctx context.Context, t *turn, tree string) (why string, err error) {
	verdicts := t.evidenceOfIssue(t.s).Verdicts
	_, any := evidence.Last(verdicts, func(v evidence.Verdict) bool { return v.Chunk == t.s.Chunk.Index })
	w := verifierInput(t.Engine, t.s, tree)
	if !any || gate.WasJudged(verdicts, t.s.Chunk.Index, w) {
		return "", nil
	}
	t.Drive.Tree.AssumeUnchanged(tree) // without what the tests left behind
	list, err := t.Drive.Verify(ctx, drivestate.CodeComplete, append(chunkGates(t.Engine), verifierGate(t.Engine))...)
	t.Drive.Tree.AssumeChanged()
	t.keepGates(list)
	return explainRefused(err)
}

const (
	// mostConflicts is how often an agent is asked during a rebase: each commit may conflict.
	mostConflicts = 5
	// gateConflict is the gate for an agent's resolution of a conflict.
	gateConflict = "conflict resolution"
)

// resolveConflicts has the agent resolve the conflicts of a rebase one by one, and returns the
// files. r.Next is "" if it failed; if it already failed before, a person has to.
func resolveConflicts(ctx context.Context, t *turn, c *gitwrite.Conflict, r *land.Rebased) (files []string, err error) {
	for c != nil {
		dir := c.Dir
		abandon := func() error { return t.Work.Apart().Abandon(context.WithoutCancel(ctx), dir) } // warp clean removes leftovers
		if why, enough := askedEnough(t); enough {
			_ = abandon()
			return nil, needsPerson("rebase the branch by hand, then warp resume",
				"the branch conflicts with %s in %s, and the agent did not resolve it%s", t.s.MergeTarget, text.Quote(c.Files, 5), why)
		}
		files = append(files, c.Files...)
		t.remark("the branch conflicts with %s in %s: asking the agent to resolve it", t.s.MergeTarget, text.Quote(c.Files, 5))
		task := agent.Task{Role: agent.Fix, Prompt: conflictPrompt(t.issue, t.s.MergeTarget, c.Files), Criteria: doneCriteria(t.s)}
		if _, err := askAgent(ctx, t, dir, task); err != nil {
			return nil, errors.Join(err, abandon())
		}
		if r.Next, c, err = t.Work.Apart().Resume(ctx, dir); err != nil {
			gone := abandon()
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			recordMergeGate(t, gateConflict, err.Error(), false)
			r.Next = ""
			return nil, gone
		}
	}
	t.pass("resolved")
	return files, nil
}

// askedEnough reports whether a person has to resolve the conflicts, and why the agent's resolution
// was rejected.
func askedEnough(t *turn) (why string, enough bool) {
	page, asked := t.evidenceOfIssue(t.s), 0
	for _, r := range page.Runs {
		if r.Row.Phase == string(drivestate.Merging) && r.Row.Role == string(agent.Fix) {
			asked++
		}
	}
	if g, ok := evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Gate == gateConflict && !g.Passed }); ok {
		why = ": " + g.Row.Reason
	}
	last := len(t.s.History) - 1
	failed := last >= 0 && t.s.History[last].Event == drivestate.MergeFailed // else the engine died after asking
	return why, asked >= mostConflicts || asked > 0 && failed
}

// examineResolution checks an agent's resolution like a chunk, and reports whether it may be
// merged. A rejected one is kept under a ref.
func examineResolution(ctx context.Context, t *turn, r gate.Resolution) (bool, error) {
	for _, look := range []func() (string, error){
		func() (string, error) { return r.FindStray(ctx, t.repo()) },
		func() (string, error) {
			c := newCandidate(t, r.Target, r.Next, doneCriteria(t.s))
			c.Resolved = r.Files
			return judge.ReadTests(c)
		},
		func() (string, error) { return testResolution(ctx, t, r.Next) },
		func() (string, error) { return verifyAgain(ctx, t, r) },
	} {
		why, err := look()
		if err != nil {
			return false, err
		}
		if why != "" {
			recordMergeGate(t, gateConflict, why, false)
			t.intervene(t.s, "conflict", t.keepReachable(ctx, "resolution", r.Next), "the agent's resolution of the conflict was rejected: %s", why)
			return false, nil
		}
	}
	recordMergeGate(t, gateConflict, "", true)
	return true, nil
}

// testResolution runs the tests on a resolution. The merge takes their result.
func testResolution(ctx context.Context, t *turn, commit string) (string, error) {
	tree, err := gate.TreeOf(ctx, t.repo(), commit)
	if err != nil || t.Rooms == nil { // the work tree has another commit
		return "", err
	}
	r, err := runTestsOn(ctx, t, gate.Merge, tree, tree)
	if err != nil || r.Passed {
		return "", err
	}
	return strings.TrimSpace(gate.Describe(r) + "\n" + r.Excerpt), nil
}

// verifyAgain has all criteria judged again on the branch as it is now, in a clean work tree.
func verifyAgain(ctx context.Context, t *turn, r gate.Resolution) (string, error) {
	tree, err := gate.TreeOf(ctx, t.repo(), r.Next)
	if err != nil {
		return "", err
	}
	apart, err := t.Work.Apart().Checkout(ctx, "issue-"+t.s.Issue(), r.Next)
	if err != nil {
		return "", err
	}
	defer func() { _ = t.Work.Apart().Abandon(context.WithoutCancel(ctx), apart.Top()) }() // warp clean removes leftovers
	why, err := judgeTree(ctx, t, gate.VerifierInput{Dir: apart.Dir, Base: r.Target, Tree: tree, Criteria: doneCriteria(t.s)}, nil)
	if said := findJudgedUnasked(t, tree); err == nil && why == "" && len(said.Points) > 0 { // no coder takes it back any more
		recordUnasked(t, 0, evidence.Unasked{Stage: evidence.UnaskedStands, Tree: tree, Points: said.Points})
	}
	return why, err
}
