package initcmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"warp/internal/cli/app"
	worktree "warp/internal/engine/place"
	"warp/internal/engine/recovery"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// findUnfinished finds drives that another machine or clone left unfinished on a fetched branch and
// that have no drive here. It returns nothing on errors, which must not stop init.
func findUnfinished(ctx context.Context, d *turnstile.Drive) []recovery.Found {
	tree, err := gitwrite.Open(d.Root())
	if err != nil {
		return nil
	}
	remote, _, err := tree.Remotes().Choose(ctx)
	if err != nil || remote == "" {
		return nil
	}
	target, err := tree.Repo().MainBranch()
	if err != nil {
		return nil
	}
	all, err := recovery.Scan(ctx, tree.Repo(), remote, target)
	if err != nil {
		return nil
	}
	var list []recovery.Found
	for _, f := range recovery.Unfinished(all) {
		apart := turnstile.HasState(worktree.Path(d.Root(), "issue-"+f.Issue))
		v, err := d.Read()
		if f.There == "" || apart || err == nil && v.State.Phase.Active() && v.State.Issue() == f.Issue {
			continue
		}
		list = append(list, f)
	}
	return list
}

// resume restores a half-done drive, if wanted, by becoming the program that can query the
// tracker.
func resume(a *app.App, list []recovery.Found, o options) error {
	switch {
	case len(list) == 0 || !o.resume && (!a.Terminal || a.AsJSON):
		return nil
	case len(list) > 1 && o.resume:
		return errors.New("several drives are unfinished: name one with warp recover run NUMBER")
	case len(list) > 1:
		return nil
	case !o.resume && !app.Confirm(a, fmt.Sprintf("\nRestore the drive of #%s?", list[0].Issue)):
		return nil
	}
	argv := []string{"recover", "run", list[0].Issue}
	if o.level != 0 {
		argv = append(argv, "--level", strconv.Itoa(o.level))
	}
	return a.BecomeNet(argv)
}
