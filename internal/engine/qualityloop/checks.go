package qualityloop

import (
	"context"
	"errors"
	"slices"
	"strconv"
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
func (b *checker) preflight(ctx context.Context) workqueue.GateRun {
	fail := func(what string) workqueue.GateRun {
		return workqueue.GateRun{Status: workqueue.Fail, Output: what}
	}
	if b.Guard == nil {
		return warning("there is no git repository here")
	}
	repo := git.Repo{Dir: b.Root}
	if _, err := repo.Head(); err != nil {
		return fail(err.Error())
	}
	a, err := repo.Run(ctx, git.Call{Args: []string{"diff", "--name-only", "--diff-filter=U", "-z"}})
	if err != nil {
		return fail(err.Error())
	}
	if paths := git.Split(a.Stdout); len(paths) > 0 {
		return fail("These paths are in conflict: " + named(paths))
	}
	lines, err := b.added(ctx)
	unreadable := (*git.Unreadable)(nil)
	switch {
	case errors.As(err, &unreadable):
		return warning("these paths cannot be read: " + named(unreadable.Paths))
	case errors.Is(err, errNoBase):
		return warning(err.Error())
	case err != nil:
		return fail(err.Error())
	}
	if places := conflicts(lines); len(places) > 0 {
		return fail("There are conflict markers in " + named(places))
	}
	return workqueue.GateRun{Status: workqueue.Pass}
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
func (b *checker) secrets(ctx context.Context) workqueue.GateRun {
	if b.Secrets == nil || b.Guard == nil {
		return warning("secrets are not looked for here")
	}
	lines, err := b.added(ctx)
	if u := (*git.Unreadable)(nil); err != nil && !errors.As(err, &u) {
		return warning("secrets could not be looked for: " + err.Error())
	}
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.text + "\n")
	}
	var places []string
	for _, secret := range b.Secrets(text.String()) {
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
		return workqueue.GateRun{Status: workqueue.Pass}
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

func (l line) place() string { return l.file + ":" + strconv.Itoa(l.n) }

var errNoBase = errors.New("what the work tree was like before the loop is not known")

// diff is what the loop has added to the work tree.
type diff struct {
	lines []line
	err   error
}

// added are the lines that the loop has added to the work tree, committed or not,
// found out once for all gates that ask. With a *git.Unreadable they are all that
// could be read.
func (b *checker) added(ctx context.Context) ([]line, error) {
	if b.diff == nil {
		lines, err := b.compare(ctx)
		b.diff = &diff{lines, err}
	}
	return b.diff.lines, b.diff.err
}

func (b *checker) compare(ctx context.Context) ([]line, error) {
	if b.Base == "" {
		return nil, errNoBase
	}
	now, unreadable := b.Guard.Work.Repo().Snapshot(b.Guard.Private()...)
	if now == "" || now == b.Base {
		return nil, unreadable
	}
	args := []string{"diff-tree", "-p", "-r", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--src-prefix=a/", "--dst-prefix=b/", b.Base, now}
	a, err := git.Repo{Dir: b.Root}.Run(ctx, git.Call{Args: args, Max: mostDiff})
	switch {
	case err != nil:
		return nil, err
	case a.Exit != 0:
		return nil, &git.Failure{Args: args, Dir: b.Root, Exit: a.Exit, Stderr: a.Stderr}
	}
	return patch(string(a.Stdout)), unreadable
}

// patch reads the added lines of a patch without context.
func patch(text string) (lines []line) {
	file, n, left := "", 0, 0
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case left > 0 && strings.HasPrefix(l, "+"):
			lines = append(lines, line{file, n, l[1:]})
			n, left = n+1, left-1
		case strings.HasPrefix(l, "diff --git "):
			file, left = "", 0
		case strings.HasPrefix(l, "+++ ") && file == "":
			file = strings.TrimSuffix(strings.TrimPrefix(strings.Trim(l[4:], `"`), "b/"), "\t")
		case strings.HasPrefix(l, "@@ "):
			n, left = hunk(l)
		}
	}
	return lines
}

// hunk reads where the lines of "@@ -1,2 +3,4 @@" begin, and how many there are.
func hunk(head string) (first, count int) {
	_, rest, _ := strings.Cut(head, " +")
	rest, _, _ = strings.Cut(rest, " ")
	at, many, several := strings.Cut(rest, ",")
	first, _ = strconv.Atoi(at)
	count = 1
	if several {
		count, _ = strconv.Atoi(many)
	}
	return first, count
}
