package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// Claims are what the sessions of a work tree hold in queues.
func Claims(a *app.App, d *turnstile.Drive) *session.Claims {
	return &session.Claims{
		Store: d.Store(), Place: placeOf(d.Project.Home().Dir(), d.Store().Dir()), Queue: queues(a, d),
		Process: step.Process{PID: a.Env.PID, Host: hostname()},
		Places:  func() map[string]*durable.Store { return places(a, d) },
	}
}

// placeOf names a work tree in claims, which may be read on other machines: it tells
// nothing of its path.
func placeOf(home, dir string) string {
	part := func(dir string) string {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		sum := sha256.Sum256([]byte(hostname() + "\x00" + dir))
		return hex.EncodeToString(sum[:4])
	}
	if p, q := part(home), part(dir); p != q {
		return p + "." + q
	}
	return part(home)
}

// places are the stores of a project's work trees.
func places(a *app.App, d *turnstile.Drive) map[string]*durable.Store {
	home := d.Project.Home()
	all := map[string]*durable.Store{placeOf(home.Dir(), home.Dir()): home}
	tree, err := gitwrite.Open(d.Root())
	if err != nil {
		return all
	}
	trees, err := tree.Worktrees(context.Background())
	if err != nil {
		return all
	}
	for _, w := range trees {
		if !w.Missing {
			store := turnstile.Open(w.Path, a.Env).Store()
			all[placeOf(home.Dir(), store.Dir())] = store
		}
	}
	return all
}
