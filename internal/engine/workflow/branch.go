package workflow

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/name"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/engine/land"
	"warp/internal/sys/git"
)

// branch makes the one that the work is committed on. It begins at the main
// branch, wherever the person is.
func (r *opening) branch(ctx context.Context, doc *taskdoc.Document) (branch, base string, err error) {
	if err := r.Work.Identity(ctx); err != nil {
		return "", "", err
	}
	repo := r.Work.Repo()
	if head, err := repo.Head(); err != nil {
		return "", "", err
	} else if head == "" {
		return "", "", errors.New("the repository has no commit yet: make a first one, then run the workflow")
	}
	if r.target, err = r.mainBranch(); err != nil {
		return "", "", err
	}
	if base, err = repo.Ref("refs/heads/" + r.target); err != nil {
		return "", "", fmt.Errorf("finding %s, which the work is to be merged into: %w", r.target, err)
	}
	remote, _, err := r.Work.Remote(ctx)
	if err != nil {
		return "", "", err
	}
	title := "workflow/" + name.Slug(doc.Title, 50)
	branch = title
	for n := 2; ; n++ { // what another workflow has left there is not to be merged with this one
		here, bad := repo.Ref("refs/heads/" + branch)
		there, none := repo.Ref("refs/remotes/" + remote + "/" + branch)
		if (bad != nil || here == base) && (none != nil || there == base) {
			break
		}
		branch = fmt.Sprintf("%s-%d", title, n)
	}
	if err := r.Work.Branch(ctx, branch, base); err != nil {
		return "", "", fmt.Errorf("making the branch %s: %w", branch, err)
	}
	return branch, base, nil
}

// mainBranch is the branch that the work is to be merged into.
func (r *opening) mainBranch() (string, error) {
	main, err := r.Work.Repo().MainBranch()
	if err != nil {
		return "", fmt.Errorf("finding the branch that the work is to be merged into (is it deleted? git branch main COMMIT makes it again): %w", err)
	}
	return main, nil
}

func orNone(branch string) string {
	if branch == "" {
		return "no branch"
	}
	return branch
}

// inStep holds the state against git: the branch is the one, and has what the
// completed tasks committed. Commits that were rebased meanwhile are found by their
// trailers, and named.
func (r *opening) inStep(s *workflow.State) (moved map[string]string, err error) {
	repo := r.Work.Repo()
	on, err := repo.Branch()
	if err != nil {
		return nil, err
	}
	if s.Branch != "" && on != s.Branch {
		return nil, fmt.Errorf("the workflow works on %s, and %s is checked out: git switch %s, then warp workflow resume", s.Branch, orNone(on), s.Branch)
	}
	head, err := repo.Head()
	if err != nil {
		return nil, err
	}
	moved = map[string]string{}
	for _, d := range s.CompletedTasks {
		if !git.IsHash(d.Commit) {
			continue
		}
		if in, err := repo.Descends(head, d.Commit); err == nil && in {
			continue
		}
		trailer := r.trailer(trailerTask, d.Task, "work")
		if ours, err := land.FindIn(repo, d.Commit, trailer, s.Base); err == nil && ours == "" {
			continue // an agent's own, of an older version, which cannot be told again
		}
		hash, err := land.FindIn(repo, head, trailer, s.Base)
		if err != nil || hash == "" {
			return nil, fmt.Errorf("the state is out of step with git: the commit %s of task %s is not on %s; warp checkpoint list shows what can be gone back to", text.Hash(d.Commit), d.Task, s.Branch)
		}
		moved[d.Task] = hash
	}
	return moved, nil
}
