package control

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// findWork returns the session or workflow with this name.
func findWork(a *app.App, d *turnstile.Drive, name string) (feed.Item, error) {
	f, err := feed.Read(d, a.Env)
	if err != nil {
		return feed.Item{}, err
	}
	for _, i := range f.Find(name) {
		if i.Kind == feed.Drive || i.Kind == feed.Guided {
			continue
		}
		if err := i.CheckCurrent(); err != nil {
			return feed.Item{}, &app.UsageError{Err: err}
		}
		return i, nil
	}
	return feed.Item{}, app.WrongUsage("nothing here is called %q: it is neither an issue number nor a session or workflow%s", render.Printable(name), listUnfinished(f.Open()))
}

// runningWork returns the sessions and workflows that a process runs.
func runningWork(f *feed.Feed) []feed.Item {
	return slices.DeleteFunc(f.Open(), func(i feed.Item) bool { return i.PID == 0 || i.Kind == feed.Drive || i.Kind == feed.Guided })
}

func listUnfinished(list []feed.Item) string {
	var names []string
	for _, i := range list {
		names = append(names, render.Printable(render.Name(i)))
	}
	if names == nil {
		return "; nothing is unfinished here"
	}
	return "; unfinished: " + strings.Join(names, ", ")
}

// stopWork stops a session, or pauses a workflow: either can be resumed.
func stopWork(ctx context.Context, a *app.App, i feed.Item) error {
	return a.RunNet(ctx, i.Root, i.Line("stop"))
}

// driveOf returns the drive of an issue in any work tree, or the one here.
func driveOf(a *app.App, d *turnstile.Drive, issue string) (*turnstile.Drive, error) {
	if issue == "" {
		return d, nil
	}
	list, err := chooseDrives(a, d, []string{issue}, stopOptions{})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// resolveTarget returns what an argument names: an issue ("": the drive of this folder), or a
// session or workflow.
func resolveTarget(a *app.App, d *turnstile.Drive, args []string) (issue string, work *feed.Item, err error) {
	if len(args) == 0 {
		return "", nil, nil
	}
	if issue := app.IssueNumber(args[0]); issue > 0 {
		return strconv.Itoa(issue), nil, nil
	}
	i, err := findWork(a, d, args[0])
	if err != nil {
		return "", nil, err
	}
	return "", &i, nil
}
