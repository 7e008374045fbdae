package democmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	core "warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
)

// disagreements returns where commits, boxes, reports and evidence contradict each other.
func disagreements(ctx context.Context, root string, t forge.Tracker, account core.Account) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	i, err := t.Get(ctx, 1)
	if err != nil {
		return []string{err.Error()}
	}
	merged := account.Outcome != nil && account.Outcome.Result == core.Merged
	if i.Open == merged {
		fail("the issue is open: %t, the work is merged: %t", i.Open, merged)
	}
	if in, out := checkedBoxes(i.Body), metCriteria(account); !slices.Equal(in, out) {
		fail("the boxes of %v are checked, the evidence has %v", in, out)
	}
	var known []string
	for _, c := range account.Commits {
		known = append(known, c.Hash)
	}
	onMain, err := commits(ctx, root, "main")
	if err != nil {
		return append(wrong, err.Error())
	}
	all, err := commits(ctx, root, "--branches")
	if err != nil {
		return append(wrong, err.Error())
	}
	if !slices.Equal(all, known) {
		fail("the branches have the commits %v, the evidence has %v", all, known)
	}
	if merged != (len(onMain) > 0) || merged && !slices.Equal(onMain, known) {
		fail("main has the commits %v, the work is merged: %t", onMain, merged)
	}
	for n, number := range reports(account) {
		r, err := t.Get(ctx, number)
		report := r.Body
		for _, c := range r.Comments { // reports are in one, unless configured otherwise
			report += "\n" + c.Body
		}
		switch {
		case err != nil:
			fail("a report: %v", err)
		case n < len(known) && !strings.Contains(report, text.Hash(known[n])):
			fail("the report #%d does not name the commit %s", number, known[n])
		}
	}
	if text, err := os.ReadFile(filepath.Join(root, notes)); err != nil || string(text) != noted {
		fail("%s is not as it was: %v", notes, err)
	}
	return wrong
}

// checkedBoxes returns the criteria checked off in the issue.
func checkedBoxes(body string) (ids []string) {
	list, _ := criteria.Parse(body) // none if unreadable
	for _, c := range list {
		if c.Done {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func metCriteria(account core.Account) (ids []string) {
	for _, p := range account.Criteria {
		if p.Met {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// reports returns the numbers of the chunk reports.
func reports(account core.Account) (numbers []int) {
	for _, f := range account.Filed {
		if f.What == "report" {
			numbers = append(numbers, f.Number)
		}
	}
	return numbers
}

// commits returns the commits after the first, oldest first.
func commits(ctx context.Context, root, of string) ([]string, error) {
	out, err := git.Repo{Dir: root}.Must(ctx, git.Call{Args: []string{"rev-list", "--reverse", "--min-parents=1", of}})
	return strings.Fields(string(out)), err
}
