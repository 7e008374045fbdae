package drive

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/sys/work"
)

// openPull opens the pull request that a person merges.
func (e *merger) openPull(ctx context.Context, s *drive.State, tip string) (move, error) {
	_, has, err := e.trees.remote(ctx)
	if err != nil {
		return move{}, err
	}
	if has {
		err := e.runner.lander.Push(ctx, s.BranchName(), "")
		var p *work.RemoteError
		var pushed *guard.PushedError
		switch {
		case errors.As(err, &pushed):
			return move{}, needsPerson("look at what was pushed, put it right, then warp resume", "%v", err)
		case errors.As(err, &p) && p.Kind == work.Rejected:
			return move{}, needsPerson("fetch and look at it, then warp resume", "the branch %s was pushed by somebody else meanwhile: %v", s.BranchName(), err)
		case err != nil:
			return move{}, e.unreachable(err)
		}
		e.ledger.passPoint("branch pushed")
	} else if e.Tracker.Name() != "local" {
		return move{}, needsPerson("git remote add origin URL, then warp resume", "a pull request needs a remote, and there is none")
	}
	pull, err := e.Tracker.OpenPull(ctx, forge.NewPull{Title: e.Redact(fmt.Sprintf("%s (#%s)", e.issue.Title, s.Issue())),
		Body: e.Redact(evidence.PullBody(e.ledger.page(s), e.filer.describeSubject(s))), Head: s.BranchName(), Base: s.MergeTarget, Once: e.filer.marker("pull", s)})
	if err != nil {
		return move{}, err
	}
	e.ledger.passPoint("pull opened")
	e.filer.recordFiled(s, evidence.Filed{Issue: s.Issue(), What: "pull", Number: pull.Number, URL: pull.URL})
	e.ledger.tell(Note{Kind: Filed, Text: "pull request", Number: pull.Number, URL: pull.URL})
	e.ledger.recordOutcome(s, evidence.Outcome{Result: evidence.Pull, Commit: tip, Pull: pull.URL, Do: "review and merge it"})
	return move{on: drive.Merged, data: data{Commit: tip}}, nil
}
