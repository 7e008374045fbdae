package documents

import (
	"context"
	"fmt"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// ListLanded lists the branches that have landed according to the journal.
func ListLanded(home *durable.Store) ([]evidence.Landed, error) {
	book := &evidence.Book{}
	if _, err := home.Events(func(r event.Row) bool { book.Take(r); return true }); err != nil && !durable.IsMissing(err) {
		return nil, fmt.Errorf("listing the landed branches: %w", err)
	}
	return book.Landings(), nil
}

// ListPulls lists the workflows' pull requests that may be open: the branch still exists, here or
// on the remote as last fetched, and the tracker has not reported them settled. Merged branches are
// deleted.
func ListPulls(home *durable.Store, repo git.Repo) (list []evidence.Landed, err error) {
	landed, err := ListLanded(home)
	if err != nil {
		return nil, err
	}
	for _, l := range landed {
		if l.Issue != "" || l.Pull == 0 || l.Settled {
			continue
		}
		out, err := repo.Must(context.Background(), git.Call{Args: []string{"for-each-ref", "--format=%(refname)", "refs/heads/" + l.Branch, "refs/remotes/*/" + l.Branch}})
		if err != nil {
			return nil, err
		}
		if len(out) > 0 {
			list = append(list, l)
		}
	}
	return list, nil
}
