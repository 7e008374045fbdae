package recover

import (
	"context"

	"warp/internal/cli/app"
	"warp/internal/cli/doctor"
	"warp/internal/cli/tracker"
	"warp/internal/engine/recovery"
	"warp/internal/turnstile"
)

// check is one line of the preflight, as warp doctor has them.
type check = doctor.Finding

// preflight finds out whether a drive could run here: what warp doctor says of
// programs, and what only the outside can tell.
func preflight(ctx context.Context, a *app.App, d *turnstile.Drive, r *recovery.Recovery, offline bool) []check {
	list := doctor.Examine(ctx, a, d, true, "git", "identity", "agent")
	if offline {
		return list
	}
	return append(list, remote(ctx, r), issues(ctx, a, d))
}

func remote(ctx context.Context, r *recovery.Recovery) check {
	name, ok, err := r.Tree.Remotes().Choose(ctx)
	switch {
	case err != nil:
		return check{Part: "remote", Level: doctor.Problem, Detail: err.Error()}
	case !ok:
		return check{Part: "remote", Level: doctor.Warning, Detail: "there is none", Fix: "with one, a drive is pushed after each commit and survives the loss of this machine"}
	}
	main, err := r.Tree.Repo().MainBranch()
	if err == nil {
		_, err = r.Tree.Remotes().Fetch(ctx, name, main)
	}
	if err != nil {
		return check{Part: "remote", Level: doctor.Problem, Detail: err.Error()}
	}
	return check{Part: "remote", Level: "ok", Detail: name + " can be reached"}
}

func issues(ctx context.Context, a *app.App, d *turnstile.Drive) check {
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return check{Part: "tracker", Level: doctor.Problem, Detail: err.Error()}
	}
	who, err := t.User(ctx)
	if err != nil {
		return check{Part: "tracker", Level: doctor.Problem, Detail: err.Error()}
	}
	return check{Part: "tracker", Level: "ok", Detail: t.Name() + ", as " + who}
}
