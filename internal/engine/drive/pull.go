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
func (e *Engine) openPull(ctx context.Context, s *drive.State, tip string) (move, error) {
	_, has, err := e.remote(ctx)
	if err != nil {
		return move{}, err
	}
	if has {
		err := e.lander.Push(ctx, s.BranchName(), "")
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
		e.passed("branch pushed")
	} else if e.Tracker.Name() != "local" {
		return move{}, needsPerson("git remote add origin URL, then warp resume", "a pull request needs a remote, and there is none")
	}
	pull, err := e.Tracker.OpenPull(ctx, forge.NewPull{Title: e.Redact(fmt.Sprintf("%s (#%s)", e.issue.Title, s.Issue())),
		Body: e.Redact(evidence.PullBody(e.page(s), e.subjectOf(s))), Head: s.BranchName(), Base: s.MergeTarget, Once: e.marker("pull", s)})
	if err != nil {
		return move{}, err
	}
	e.passed("pull opened")
	e.filed(s, evidence.Filed{Issue: s.Issue(), What: "pull", Number: pull.Number, URL: pull.URL})
	e.tell(Note{Kind: Filed, Text: "pull request", Number: pull.Number, URL: pull.URL})
	e.end(s, evidence.Outcome{Result: evidence.Pull, Commit: tip, Pull: pull.URL, Do: "review and merge it"})
	return move{on: drive.Merged, data: data{Commit: tip}}, nil
}
