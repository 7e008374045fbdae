package drive

import (
	"context"
	"errors"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
)

const mostIgnored = 50 // files that a verifier is told of

// completeCoding is what is true once an agent has done its part: the gates find out
// whether it has.
func completeCoding(t *turn) move {
	return move{on: drive.CodeComplete, gates: []turnstile.Gate{integrity(t.Engine), {Name: "verifier", Run: func(ctx context.Context, s *drive.State) (string, error) {
		tree, err := t.Drive.Tree.Fingerprint()
		if err != nil {
			return "", err
		}
		return judgeTree(ctx, &turn{t.Engine, s}, chunkSight(t.Engine, s, tree), listNewlyIgnored(ctx, t.Engine))
	}}}}
}

// chunkSight shows the present chunk.
func chunkSight(e *Engine, s *drive.State, tree string) gate.Sight {
	return gate.Sight{Dir: e.Drive.Root(), Base: s.Chunk.Base, Tree: tree, Criteria: s.Present()}
}

// integrity is the gate against changes that make what was found out worthless:
// tests that are not what is run any more, files that were not meant to be
// committed, and work that cannot be.
func integrity(e *Engine) turnstile.Gate {
	return turnstile.Gate{Name: "integrity", First: true, Run: func(ctx context.Context, s *drive.State) (string, error) {
		t := &turn{e, s}
		tree, err := e.Drive.Tree.Fingerprint()
		if err != nil || s.Chunk.Base == "" {
			return "", err
		}
		if g, ok := findDrift(t); ok && g.Tree == tree {
			return "nothing was changed, and the documentation still misleads its readers: " + g.Reason, nil
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
		began, _ := time.Parse(time.RFC3339, at) // the zero time when it is not known
		return gate.CheckChange(ctx, candidate(t, s.Chunk.Base, tree, s.Present()), changes, e.Work.Top(), began)
	}}
}

// candidate is what is to count, and what it is held against.
func candidate(t *turn, base, tree string, criteria []string) judge.Candidate {
	c := judge.Candidate{Repo: t.repo(), Base: base, Tree: tree, Prefix: prefix(t.Engine), Tests: suiteCommand(t.Engine)}
	for _, id := range criteria {
		c.Asked = append(c.Asked, t.s.Written(id))
	}
	return c
}

// judgeTree has the verifier judge criteria, unless the engine died after it did, and
// says which are not met.
func judgeTree(ctx context.Context, t *turn, w gate.Sight, ignored []string) (string, error) {
	if gate.WasJudged(t.page(t.s).Verdicts, t.s.Chunk.Index, w) {
		return "", nil
	}
	verdicts, why, err := gate.Verifier{Work: t.Work,
		Prompt: func(diff string, cut bool) string {
			return verifyPrompt(t.issue, written(t.s, w.Criteria), diff, cut, ignored)
		},
		Ask: func(ctx context.Context, dir string, task agent.Task) (step.Answer, error) {
			return askAgent(ctx, t, dir, task)
		},
	}.Judge(ctx, w)
	if err != nil || why != "" {
		return why, err
	}
	var rows []any
	for _, v := range verdicts {
		v.Issue, v.Chunk = t.s.Issue(), t.s.Chunk.Index
		rows = append(rows, v)
		t.tell(Note{Kind: Judged, Text: v.ID + ": " + v.Reason, Passed: &v.Met})
	}
	t.keep(t.s, event.Verdict, rows...)
	t.pass("verified")
	return gate.Wanting(verdicts), nil
}

// listNewlyIgnored lists files that the chunk's own edit of .gitignore keeps out of
// its commit: they do not count as work.
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

// rejudge has the gates of code_complete look at what they have not seen: what
// commit hooks have changed. It says why they refuse it.
func rejudge(ctx context.Context, t *turn, tree string) (why string, err error) {
	verdicts := t.page(t.s).Verdicts
	_, any := evidence.Last(verdicts, func(v evidence.Verdict) bool { return v.Chunk == t.s.Chunk.Index })
	w := chunkSight(t.Engine, t.s, tree)
	if !any || gate.WasJudged(verdicts, t.s.Chunk.Index, w) {
		return "", nil
	}
	t.Drive.Tree.AssumeUnchanged(tree) // without what the tests have left
	list, err := t.Drive.Verify(ctx, drive.CodeComplete, integrity(t.Engine), turnstile.Gate{Name: "verifier", Run: func(ctx context.Context, s *drive.State) (string, error) {
		t.Drive.Tree.AssumeChanged() // an agent's guard has to see all
		return judgeTree(ctx, &turn{t.Engine, s}, w, listNewlyIgnored(ctx, t.Engine))
	}})
	t.Drive.Tree.AssumeChanged()
	t.keepGates(list)
	var refused *turnstile.GateError
	switch {
	case errors.As(err, &refused) && refused.Broken():
		return "", untried(refused)
	case errors.As(err, &refused):
		return refused.Error(), nil
	}
	return "", err
}
