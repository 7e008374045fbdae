package drive

import (
	"context"
	"path"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/scope"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// What no one asked for is taken back by the coder, once: that costs no retry. What is left after
// that is merged by a person.

const (
	gateUnasked  = "nothing unasked"        // of what is merged
	gateSentBack = "unasked work sent back" // of a chunk
	faultUnasked = "unasked"                // named in the coder's prompt
)

// takeBackError sends the work back to the coder at no cost.
type takeBackError struct{ points []scope.Point }

func (e *takeBackError) Error() string {
	return "no one asked for this, so the coder takes it back or says which criterion needs it:\n" + scope.Describe(e.points)
}

// unaskedGate comes after the verifier, and sends back what no one asked for.
func unaskedGate(e *Engine) turnstile.Gate {
	return turnstile.Gate{Name: gateSentBack, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		t := &turn{e, s}
		points, err := findUnasked(ctx, t, true)
		if err == nil && len(points) > 0 {
			err = &takeBackError{points}
		}
		return "", err
	}}
}

// sendBackUnasked reports whether the coder is asked to take back what is seen without a verifier.
func sendBackUnasked(ctx context.Context, t *turn) (bool, error) {
	points, err := findUnasked(ctx, t, false)
	if len(points) > 0 {
		t.tell(Note{Kind: Gated, Move: Move{Event: drivestate.CodeComplete}, Text: (&takeBackError{points}).Error(), Passed: new(bool)})
	}
	return len(points) > 0, err
}

// findUnasked returns what the coder has to take back. If it was asked before, what is left is
// recorded, once the verifier has judged.
func findUnasked(ctx context.Context, t *turn, judged bool) ([]scope.Point, error) {
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil {
		return nil, err
	}
	points, err := gate.FindUnasked(ctx, t.repo(), t.s.Chunk.Base, tree, askedFor(t))
	if err != nil {
		return nil, err
	}
	own := path.Join(t.Work.Root().Folder(), ".claude") + "/"
	points = slices.DeleteFunc(points, func(p scope.Point) bool { return strings.HasPrefix(p.File, own) }) // never committed
	if _, wasTold := findToldUnasked(t); !wasTold {
		points = scope.Merge(points, findJudgedUnasked(t, tree).Points)
		if len(points) > 0 {
			recordUnasked(t, t.s.Chunk.Index, evidence.Unasked{Stage: evidence.UnaskedTold, Tree: tree, Points: points})
		}
		return points, nil
	}
	if !judged {
		return nil, nil
	}
	row := evidence.Unasked{Stage: evidence.UnaskedStands, Tree: tree, Said: claimUnasked(t)}
	said := findJudgedUnasked(t, tree)
	for _, p := range points {
		if scope.Has(said.Cleared, p.File) {
			row.Cleared = append(row.Cleared, p)
		} else {
			row.Points = append(row.Points, p)
		}
	}
	row.Points = scope.Merge(row.Points, said.Points)
	recordUnasked(t, t.s.Chunk.Index, row)
	if len(row.Points) > 0 {
		t.remark("no one asked for this, and the coder left it: a person has to merge it:\n%s", scope.Describe(row.Points))
	}
	return nil, nil
}

// findToldUnasked returns what the coder of the present chunk was asked to take back.
func findToldUnasked(t *turn) (evidence.Entry[evidence.Unasked], bool) {
	return evidence.Last(t.evidenceOfIssue(t.s).Unasked, func(u evidence.Unasked) bool {
		return u.Chunk == t.s.Chunk.Index && u.Stage == evidence.UnaskedTold
	})
}

// findJudgedUnasked returns what the verifier said no one asked for in a tree.
func findJudgedUnasked(t *turn, tree string) evidence.Unasked {
	said, _ := evidence.Last(t.evidenceOfIssue(t.s).Unasked, func(u evidence.Unasked) bool {
		return u.Chunk == t.s.Chunk.Index && u.Stage == evidence.UnaskedJudged && u.Tree == tree
	})
	return said.Row
}

// claimUnasked returns why the coder keeps what it was asked to take back, or "".
func claimUnasked(t *turn) string {
	r, _ := answeredUnasked(t)
	return r.Row.Objection
}

// answeredUnasked returns the run that answered what the coder was asked to take back. Objections of
// later runs are about verdicts.
func answeredUnasked(t *turn) (run evidence.Entry[evidence.Run], answered bool) {
	told, wasTold := findToldUnasked(t)
	for _, r := range codingRuns(t.evidenceOfIssue(t.s), t.s) {
		if wasTold && r.N > told.N && r.Row.End == string(agent.Done) && r.Row.Unread == "" {
			return r, true
		}
	}
	return run, false
}

// unaskedForVerifier returns what the verifier has to decide about: what the coder was asked to take
// back, as the work has it now. What does not fit into the prompt is not decided.
func unaskedForVerifier(ctx context.Context, t *turn, w gate.VerifierInput) (left []scope.Point, err error) {
	told, wasTold := findToldUnasked(t)
	if !wasTold {
		return nil, nil
	}
	now, err := gate.FindUnasked(ctx, t.repo(), w.Base, w.Tree, askedFor(t))
	if err != nil {
		return nil, err
	}
	changes, err := t.repo().Trees().Changes(w.Base, w.Tree)
	paths := git.Paths(changes)
	for _, p := range told.Row.Points {
		i := slices.IndexFunc(now, func(is scope.Point) bool { return is.File == p.File })
		switch {
		case p.By == "" && i >= 0:
			left = append(left, now[i])
		case p.By != "" && slices.Contains(paths, p.File):
			left = append(left, p)
		}
	}
	for len(left) > scope.MostDescribed || len(scope.Describe(left)) > maxFault {
		left = left[:len(left)-1]
	}
	return left, err
}

// claimsUnasked reports whether the coder gave a reason that no verifier has heard yet.
func claimsUnasked(t *turn) bool {
	if claimUnasked(t) == "" {
		return false
	}
	told, _ := findToldUnasked(t)
	said, judged := evidence.Last(t.evidenceOfIssue(t.s).Unasked, func(u evidence.Unasked) bool {
		return u.Chunk == t.s.Chunk.Index && u.Stage == evidence.UnaskedJudged
	})
	return !judged || said.N < told.N
}

// recordJudgedUnasked records what the verifier said no one asked for, as far as the work has it. If
// it heard the coder's reason, it clears what it was shown and does not list. A verifier that says
// nothing about it clears nothing.
func recordJudgedUnasked(t *turn, a step.Answer, w gate.VerifierInput, shown []scope.Point) error {
	var said struct {
		Unasked *[]scope.Point `json:"unasked"`
	}
	if !a.Read(&said) || said.Unasked == nil {
		return nil
	}
	changes, err := t.repo().Trees().Changes(w.Base, w.Tree)
	if err != nil {
		return err
	}
	asked, paths, row := askedFor(t), git.Paths(changes), evidence.Unasked{Stage: evidence.UnaskedJudged, Tree: w.Tree, Points: []scope.Point{}}
	for _, p := range *said.Unasked {
		if p.File = scope.FindPath(p.File, asked.Prefix, paths); p.File != "" {
			why := t.Redact(text.Clip(text.OneLine(p.Why), maxReasonUnasked))
			row.Points = scope.Merge(row.Points, []scope.Point{{File: p.File, Why: why, By: a.Agent, Named: asked.Allows(p.File)}})
		}
	}
	if claimUnasked(t) != "" {
		row.Cleared = slices.DeleteFunc(slices.Clone(shown), func(p scope.Point) bool { return scope.Has(row.Points, p.File) })
	}
	recordUnasked(t, t.s.Chunk.Index, row)
	return nil
}

const maxReasonUnasked = 300

// recordUnasked records what no one asked for in a chunk; 0: in the whole branch.
func recordUnasked(t *turn, chunk int, row evidence.Unasked) {
	row.Issue, row.Chunk, row.Said = t.s.Issue(), chunk, text.Clip(row.Said, maxReasonUnasked)
	t.recordEvidence(t.s, event.Unasked, row)
}
