package recover

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/cli/doctor"
	"warp/internal/cli/tracker"
	"warp/internal/engine/recovery"
	"warp/internal/turnstile"
)

// check is one line of the preflight, as warp doctor has them.
type check struct {
	Part   string `json:"part"`
	Level  string `json:"level"` // ok, note or fix
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// preflight finds out whether a drive could run here: what warp doctor says of
// programs, and what only the outside can tell.
func preflight(ctx context.Context, a *app.App, d *turnstile.Drive, r *recovery.Recovery, offline bool) []check {
	list := programs(ctx, a)
	if err := r.Tree.Identity(ctx); err != nil {
		list = append(list, check{Part: "identity", Level: "fix", Detail: err.Error()})
	} else {
		list = append(list, check{Part: "identity", Level: "ok", Detail: "git has an identity for commits"})
	}
	if offline {
		return list
	}
	return append(list, remote(ctx, r), issues(ctx, a, d))
}

// programs are the findings of warp doctor about programs.
func programs(ctx context.Context, a *app.App) (list []check) {
	var out bytes.Buffer
	quiet := *a
	quiet.Out, quiet.Err = &out, &bytes.Buffer{}
	c := doctor.New(&quiet)
	c.SetArgs([]string{"--json"})
	c.SilenceErrors, c.SilenceUsage = true, true
	_ = c.ExecuteContext(ctx) // problems are in the findings
	var all []check
	if json.Unmarshal(out.Bytes(), &all) != nil {
		return nil
	}
	for _, f := range all {
		switch {
		case f.Part == "git", f.Part == "repository", strings.HasPrefix(f.Part, "gh"), strings.HasPrefix(f.Part, "agent "):
			list = append(list, f)
		}
	}
	return list
}

func remote(ctx context.Context, r *recovery.Recovery) check {
	name, ok, err := r.Tree.Remote(ctx)
	switch {
	case err != nil:
		return check{Part: "remote", Level: "fix", Detail: err.Error()}
	case !ok:
		return check{Part: "remote", Level: "note", Detail: "there is none", Fix: "with one, a drive is pushed after each commit and survives the loss of this machine"}
	}
	main, err := r.Tree.Repo().MainBranch()
	if err == nil {
		_, err = r.Tree.Fetch(ctx, name, main)
	}
	if err != nil {
		return check{Part: "remote", Level: "fix", Detail: err.Error()}
	}
	return check{Part: "remote", Level: "ok", Detail: name + " can be reached"}
}

func issues(ctx context.Context, a *app.App, d *turnstile.Drive) check {
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return check{Part: "tracker", Level: "fix", Detail: err.Error()}
	}
	who, err := t.User(ctx)
	if err != nil {
		return check{Part: "tracker", Level: "fix", Detail: err.Error()}
	}
	return check{Part: "tracker", Level: "ok", Detail: t.Name() + ", as " + who}
}
