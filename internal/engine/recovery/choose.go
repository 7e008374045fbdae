package recovery

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// chosen is the drive that is to be brought back.
type chosen struct {
	issue, branch string
	standing           // its state, where that survived
	apart         bool // it goes into a work tree of its own
}

// choose finds the drive that is meant.
func (r *Recovery) choose(ctx context.Context, o Options) (c chosen, err error) {
	found, err := Scan(ctx, r.repo, r.remote, r.target)
	if err != nil {
		return c, err
	}
	gone, err := r.gone(ctx)
	if err != nil {
		return c, err
	}
	all := r.standings()
	if c.issue = o.Issue; c.issue == "" {
		if c.issue, err = r.only(ctx, all, gone, found); err != nil {
			return c, err
		}
	}
	for _, s := range all {
		if s.err == nil && s.state.Issue() == c.issue && s.state.Phase.Active() {
			c.standing, c.branch, c.apart = s, s.state.BranchName(), s.Root() != r.Main.Root()
		}
	}
	for _, w := range gone {
		if w.Path == r.apart(c.issue) {
			c.apart, c.branch = true, cmp.Or(c.branch, w.Branch)
		}
	}
	c.apart = c.apart && !o.InPlace || o.Apart
	if c.branch = cmp.Or(o.Branch, c.branch); c.branch == "" {
		c.branch, err = branchOf(c.issue, found)
	}
	return c, err
}

// branchOf is the branch of an issue among those that were found; "": none. One
// that is merged, or has no usual name, counts only where no other is left.
func branchOf(issue string, found []Found) (string, error) {
	list := slices.DeleteFunc(slices.Clone(found), func(f Found) bool { return f.Issue != issue })
	for _, better := range []func(Found) bool{
		func(f Found) bool { return !f.Merged },
		func(f Found) bool { return strings.HasPrefix(f.Branch, "feature/issue-"+issue) },
	} {
		if len(list) > 1 && slices.ContainsFunc(list, better) {
			list = slices.DeleteFunc(list, func(f Found) bool { return !better(f) })
		}
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Branch)
	}
	if len(names) > 1 {
		return "", fmt.Errorf("the work on #%s is on several branches: %s; choose one with --branch", issue, strings.Join(names, ", "))
	}
	return strings.Join(names, ""), nil
}

// only is the one drive that is lost or unfinished.
func (r *Recovery) only(ctx context.Context, all []standing, gone []lostTree, found []Found) (string, error) {
	var issues, whole []string
	for _, s := range all {
		switch {
		case s.err != nil || !s.state.Phase.Active() || s.state.Issue() == "":
		case r.inspect(ctx, s).Whole:
			whole = append(whole, s.state.Issue())
		default:
			issues = append(issues, s.state.Issue())
		}
	}
	for _, w := range gone {
		if issue, ok := strings.CutPrefix(filepath.Base(w.Path), "issue-"); ok && w.Path == r.apart(issue) {
			issues = append(issues, issue)
		}
	}
	for _, f := range Unfinished(found) {
		if !slices.Contains(whole, f.Issue) {
			issues = append(issues, f.Issue)
		}
	}
	slices.Sort(issues)
	issues = slices.Compact(issues)
	switch len(issues) {
	case 0:
		return "", &NothingError{"nothing is lost: no drive lacks its work tree or its commits, and none is unfinished on the remote"}
	case 1:
		return issues[0], nil
	}
	return "", fmt.Errorf("several drives can be brought back: #%s; name one", strings.Join(issues, ", #"))
}
