package qualityloop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workqueue"
	"warp/internal/sys/git"
)

// mostDiff bounds what is searched of what the loop has changed, and mostNamed
// the places that are named.
const (
	mostDiff  = 32 << 20
	mostNamed = 20
)

// preflight looks whether the repository and the work tree can be worked with.
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
		return failed("These paths are in conflict: " + named(paths))
	}
	lines, err := c.added()
	unreadable := (*git.Unreadable)(nil)
	switch {
	case errors.As(err, &unreadable):
		return warning("these paths cannot be read: " + named(unreadable.Paths))
	case errors.Is(err, errNoBase):
		return warning(err.Error())
	case err != nil:
		return failed(err.Error())
	}
	if places := conflicts(lines); len(places) > 0 {
		return failed("There are conflict markers in " + named(places))
	}
	return passed
}

// conflicts are the places where a conflict was left: files that have got both
// ends of one.
func conflicts(lines []line) (places []string) {
	open := map[string]string{}
	for _, l := range lines {
		if strings.HasPrefix(l.text, "<<<<<<< ") && open[l.file] == "" {
			open[l.file] = l.place()
		}
		if strings.HasPrefix(l.text, ">>>>>>> ") && open[l.file] != "" && !slices.Contains(places, open[l.file]) {
			places = append(places, open[l.file])
		}
	}
	return places
}

// secrets looks for secrets in what was added since the loop began. They are S0,
// and are not repeated.
func (c *checker) secrets() workqueue.GateRun {
	if c.Guard == nil {
		return warning("secrets are not looked for here")
	}
	lines, err := c.added()
	if u := (*git.Unreadable)(nil); err != nil && !errors.As(err, &u) {
		return warning("secrets could not be looked for: " + err.Error())
	}
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.text + "\n")
	}
	var places []string
	for _, secret := range c.Secrets(text.String()) {
		first, _, _ := strings.Cut(secret, "\n")
		for _, l := range lines {
			if first != "" && strings.Contains(l.text, first) && !slices.Contains(places, l.place()) {
				places = append(places, l.place())
			}
		}
		if len(places) == 0 {
			places = append(places, "a file that could not be found out")
		}
	}
	if len(places) == 0 {
		return passed
	}
	return workqueue.GateRun{Status: workqueue.Fail, Severity: workqueue.S0, Issues: len(places),
		Output: "Secrets were added since the loop began: " + named(places) + ". Take them out of the files, and of commits that have them."}
}

// named are some of many places.
func named(places []string) string {
	return untrusted.Line(text.List(places, mostNamed))
}

// line is a line that was added.
type line struct {
	file string
	n    int
	text string
}

func (l line) place() string { return fmt.Sprintf("%s:%d", l.file, l.n) }

var errNoBase = errors.New("what the work tree was like before the loop is not known")

// compare finds the lines that the loop has added to the work tree, committed or
// not. With a *git.Unreadable they are all that could be read.
func (c *checker) compare(ctx context.Context) ([]line, error) {
	if c.Guard == nil || c.Base == "" {
		return nil, errNoBase
	}
	now, unreadable := c.Guard.Work.Repo().Snapshot(c.Guard.Private()...)
	if now == "" || now == c.Base {
		return nil, unreadable
	}
	args := []string{"diff-tree", "-p", "-r", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", c.Base, now}
	a, err := git.Repo{Dir: c.Root}.Run(ctx, git.Call{Args: args, Max: mostDiff})
	switch {
	case err != nil:
		return nil, err
	case a.Exit != 0:
		return nil, &git.Failure{Args: args, Dir: c.Root, Exit: a.Exit, Stderr: a.Stderr}
	}
	return patch(string(a.Stdout)), unreadable
}

// patch reads the added lines of a patch without context, in which every line of a
// file begins with a sign.
func patch(text string) (lines []line) {
	file, n := "", 0
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "diff --git "):
			file, n = "", 0
		case strings.HasPrefix(l, "+++ ") && file == "":
			file = strings.TrimSuffix(strings.TrimPrefix(strings.Trim(l[4:], `"`), "b/"), "\t")
		case strings.HasPrefix(l, "@@ "): // "@@ -1,2 +3,4 @@"
			_, at, _ := strings.Cut(l, " +")
			_, _ = fmt.Sscanf(at, "%d", &n) // git writes a number there
		case strings.HasPrefix(l, "+"):
			lines = append(lines, line{file, n, l[1:]})
			n++
		}
	}
	return lines
}
