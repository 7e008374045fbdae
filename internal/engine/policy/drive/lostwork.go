package drive

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
)

// refuseLostWork refuses to start an issue whose boxes are checked for commits that are on no
// branch: after its branch and its state were lost, a drive went on without that work, and closed
// the issue.
func refuseLostWork(e *Engine, i forge.Issue) error {
	boxes, err := criteria.Parse(i.Body)
	if err != nil {
		return nil // said where the issue is read
	}
	if e.book == nil { // nothing runs yet: only the choice of an issue is made
		if err := readBook(e.ledger); err != nil {
			return err
		}
	}
	page := e.book.Page(strconv.Itoa(i.Number), 0)
	end, _ := evidence.Last(page.Outcomes, func(o evidence.Outcome) bool { return o.Result == evidence.Merged || o.Result == evidence.Pull })
	var lost []string
	for _, box := range boxes {
		made, known := evidence.Last(page.Commits, func(c evidence.Commit) bool { return !c.WIP && slices.Contains(c.Criteria, box.ID) })
		if !box.Done || !known || made.N < end.N {
			continue
		}
		on, err := isOnBranch(e.repo(), made.Row.Hash)
		if err != nil {
			return err
		}
		if !on {
			lost = append(lost, box.ID)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	n := strconv.Itoa(i.Number)
	return needsPerson("warp recover run "+n+" brings it back; to do it again: warp issue check --undo "+n+" "+strings.Join(lost, " "),
		"#%s is partly done, but its commits are on no branch any more (%s)", n, strings.Join(lost, ", "))
}

// isOnBranch reports whether a branch, here or as last fetched, contains a commit. A commit that
// does not exist is on none.
func isOnBranch(repo git.Repo, commit string) (bool, error) {
	a, err := repo.Run(context.Background(), git.Call{Args: []string{"for-each-ref", "--count=1", "--contains=" + commit, "refs/heads/", "refs/remotes/"}})
	return a.Exit == 0 && len(a.Stdout) > 0, err
}
