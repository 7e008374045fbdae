package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
	"warp/internal/ui/feed"
	"warp/internal/ui/watch"
)

// Bounds of a shown diff and log, in bytes.
const (
	mostDiff = 4 << 20
	mostLog  = 1 << 20
)

// acts returns the functions that keys call: warp itself, git, and logs.
func acts(ctx context.Context, a *app.App) watch.Acts {
	return watch.Acts{
		Warp: func(dir string, args ...string) (string, bool) {
			said := a.RunWarp(ctx, dir, args)
			return said.Text, said.Code == app.Done
		},
		Diff: func(root string, i feed.Item, commits []string) (string, error) { return diff(ctx, root, i, commits) },
		Read: readEnd,
		Log:  feed.LogNow,
		Now:  a.Env.Now,
	}
}

// ready asks warp for a project's approved issues. It returns none if the tracker cannot be
// asked; warp doctor says why.
func ready(ctx context.Context, a *app.App, root string) (watch.Ready, bool) {
	said := a.RunWarp(ctx, root, feed.ApprovedLine)
	list, err := feed.ParseApproved(said.Out)
	return watch.Ready{Root: root, Issues: list}, said.Code == app.Done && err == nil
}

// safely keeps git from running programs that the repository configures.
var safely = []string{"--no-color", "--no-ext-diff", "--no-textconv"}

// diff returns what an item has changed: the commits of an ended drive, else its branch and
// uncommitted changes.
func diff(ctx context.Context, root string, i feed.Item, commits []string) (string, error) {
	repo, head := git.Repo{Dir: root}, i.Branch
	drive := i.IsDrive()
	dir := workFolder(root, i)
	switch {
	case i.State.Over() && (drive || head == ""):
		commits = slices.DeleteFunc(slices.Clone(commits), func(hash string) bool { return !git.IsHash(hash) })
		if len(commits) == 0 {
			return "", errors.New("nothing was committed")
		}
		return ask(ctx, repo, append([]string{"show", "--stat", "--patch"}, safely...), commits...)
	case dir != "":
		repo.Dir, head = dir, "HEAD"
	case !git.IsRef(head):
		return "", errors.New("it has no branch yet")
	default:
		if _, err := repo.Ref("refs/heads/" + head); errors.Is(err, git.ErrNoRef) {
			return "", errors.New("its branch is gone; git log shows what was merged")
		}
	}
	main, err := repo.MainBranch()
	if err != nil {
		return "", err
	}
	base, err := ask(ctx, repo, []string{"merge-base"}, main, head)
	if err != nil {
		return "", err
	}
	upTo := []string{strings.TrimSpace(base)}
	if dir == "" {
		upTo = append(upTo, head)
	}
	return ask(ctx, repo, append([]string{"diff", "--stat", "--patch"}, safely...), upTo...)
}

// workFolder returns the work tree an item works in; "" if it is gone. Sessions that commit, and
// workflows, have a separate one for their branch.
func workFolder(root string, i feed.Item) string {
	if i.IsDrive() || i.Branch == "" {
		return i.Root
	}
	p, _ := git.Locate(root)
	for _, top := range p.Worktrees() {
		if at, ok := git.Locate(top); ok {
			if branch, err := at.Checked(); err == nil && branch == i.Branch {
				return top
			}
		}
	}
	return ""
}

func ask(ctx context.Context, repo git.Repo, args []string, names ...string) (string, error) {
	args = append(append(args, names...), "--")
	if args[0] == "merge-base" {
		args = args[:len(args)-1]
	}
	out, err := repo.Must(ctx, git.Call{Args: args, Max: mostDiff, Tail: true})
	if err == nil && len(out) == 0 {
		return "Nothing is changed.\n", nil
	}
	return string(out), err
}

// readEnd returns the end of a log, which may be large.
func readEnd(root, file string) (string, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	f, err := durable.OpenPlain(agent.FindLog(file))
	if err != nil {
		return "", err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(max(0, size-mostLog), io.SeekStart)
	}
	if err != nil {
		return "", fmt.Errorf("reading the end of %s: %w", file, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, mostLog))
	if size > mostLog {
		text = append(fmt.Appendf(nil, "[the last %d of %d bytes]\n", mostLog, size), text...)
	}
	return string(text), err
}
