package control

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// issueNumber reads "7" and "#7"; false: it names something else.
func issueNumber(name string) (string, bool) {
	name = strings.TrimPrefix(name, "#")
	n, err := strconv.Atoi(name)
	return name, err == nil && n > 0
}

// findWork is the session or workflow that a name means.
func findWork(a *app.App, d *turnstile.Drive, name string) (feed.Item, error) {
	f, err := feed.Read(d, a.Env)
	if err != nil {
		return feed.Item{}, err
	}
	for _, i := range f.Find(name) {
		if i.Kind != feed.Drive && i.Kind != feed.Guided {
			return i, nil
		}
	}
	return feed.Item{}, &app.UsageError{Err: fmt.Errorf("nothing here is called %q: it is neither an issue number nor a session or workflow%s", render.Printable(name), listed(f.Open()))}
}

// running are the sessions and workflows that a process runs.
func running(f *feed.Feed) []feed.Item {
	return slices.DeleteFunc(f.Open(), func(i feed.Item) bool { return i.PID == 0 || i.Kind == feed.Drive || i.Kind == feed.Guided })
}

// listed names what is unfinished, for the end of a message.
func listed(list []feed.Item) string {
	var names []string
	for _, i := range list {
		names = append(names, render.Printable(render.Name(i)))
	}
	if names == nil {
		return "; nothing is unfinished here"
	}
	return "; unfinished: " + strings.Join(names, ", ")
}

// The commands of the special views, by kind: sessions for loops and pipelines.
var (
	stopLine   = lines{session: []string{"sessions", "stop"}, workflow: []string{"workflow", "pause"}}
	resumeLine = lines{session: []string{"sessions", "resume"}, workflow: []string{"workflow", "resume"}}
)

type lines struct{ session, workflow []string }

func (l lines) of(i feed.Item) []string {
	if i.Kind == feed.Workflow {
		return l.workflow
	}
	return append(slices.Clip(l.session), i.Name)
}

// stopWork stops a session, or pauses a workflow: either can be resumed.
func stopWork(ctx context.Context, a *app.App, i feed.Item) error {
	return a.RunNet(ctx, i.Root, stopLine.of(i))
}

// driveOf is the drive that is meant: of an issue, in any work tree, or the one here.
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

// meant is what the argument of a command names: an issue ("": the drive of this folder),
// or a session or workflow.
func meant(a *app.App, d *turnstile.Drive, args []string) (issue string, work *feed.Item, err error) {
	if len(args) == 0 {
		return "", nil, nil
	}
	if issue, ok := issueNumber(args[0]); ok {
		return issue, nil, nil
	}
	i, err := findWork(a, d, args[0])
	if err != nil {
		return "", nil, err
	}
	return "", &i, nil
}
