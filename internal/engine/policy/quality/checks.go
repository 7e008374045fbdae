package quality

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workqueue"
	"warp/internal/engine/leak"
	"warp/internal/sys/git"
)

// mostDiff bounds how much of the loop's changes is searched, and mostNamed how many places are
// named.
const (
	mostDiff  = 32 << 20
	mostNamed = 20
)

// preflight checks that the repository and the work tree are usable.
func (c *checker) preflight(ctx context.Context) workqueue.GateRun {
	if c.Guard == nil {
		return warning("there is no git repository here")
	}
	repo := git.Repo{Dir: c.Root}
	if _, err := repo.Head(); err != nil {
		return failed(err.Error())
	}
	a, err := repo.Run(ctx, git.Call{Args: []string{"diff", "--name-only", "--diff-filter=U", "-z"}})
	if err != nil {
		return failed(err.Error())
	}
	if paths := git.Split(a.Stdout); len(paths) > 0 {
		return failed("These paths are in conflict: " + listSome(paths))
	}
	lines, err := c.added()
	unreadable := (*git.Unreadable)(nil)
	switch {
	case errors.As(err, &unreadable):
		return warning("these paths cannot be read: " + listSome(unreadable.Paths))
	case err != nil:
		return failed(err.Error())
	}
	if places := conflicts(lines); len(places) > 0 {
		return failed("There are conflict markers in " + listSome(places))
	}
	return passed
}

// conflicts returns where a conflict was left: a file has both markers.
func conflicts(lines []git.Line) (places []string) {
	open := map[string]string{}
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.Text, "<<<<<<< ") && open[l.File] == "":
			open[l.File] = l.Place()
		case strings.HasPrefix(l.Text, ">>>>>>> ") && open[l.File] != "":
			places = append(places, open[l.File])
			delete(open, l.File)
		}
	}
	return places
}

// secrets looks for secrets added since the loop began. They are S0, and are not repeated in the
// output.
func (c *checker) secrets(ctx context.Context) workqueue.GateRun {
	if c.Leaks == nil || c.Guard == nil {
		return warning("the scan for secrets is off")
	}
	repo := c.Guard.Work.Repo()
	now, err := repo.Snapshot(c.Guard.Private()...)
	if now != "" { // unreadable files are in no commit either
		err = c.Leaks.Check(ctx, repo, c.Base, now, nil)
	}
	var found *leak.FoundError
	if err != nil && !errors.As(err, &found) {
		return warning("the scan for secrets failed: " + err.Error())
	}
	var places []string
	if found != nil {
		for _, h := range found.Hits {
			places = append(places, h.String()+" ("+h.ID()+")")
		}
	}
	if len(places) == 0 {
		return passed
	}
	return workqueue.GateRun{Status: workqueue.Fail, Severity: workqueue.S0, Issues: len(places),
		Output: "Secrets were added since the loop began: " + listSome(places) + ". Remove them from the files and from commits that have them. A person can allow a false alarm with warp secrets allow."}
}

// listSome lists some of many places.
func listSome(places []string) string {
	return text.VisibleLine(text.List(places, mostNamed))
}

// addedLines returns the lines that the loop has added to the work tree, committed or not. With a
// *git.Unreadable they are all that could be read.
func (c *checker) addedLines(ctx context.Context) ([]git.Line, error) {
	repo := c.Guard.Work.Repo()
	now, unreadable := repo.Snapshot(c.Guard.Private()...)
	if now == "" || now == c.Base {
		return nil, unreadable
	}
	lines, err := repo.Trees().Added(ctx, c.Base, now, mostDiff)
	return lines, cmp.Or(err, unreadable)
}
