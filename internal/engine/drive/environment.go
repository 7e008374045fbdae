package drive

import (
	"context"
	"errors"

	"warp/internal/core/trust"
	"warp/internal/sys/git"
)

// Environment is the project's dev environment: a server, a database, users.
type Environment interface {
	Present() bool
	Up(ctx context.Context, progress func(string)) error
	Check(ctx context.Context) error
	// SeedAdvice says where a change of the schema came without seed data.
	SeedAdvice(changed []string) []string
}

// recoveries is how often an environment is brought up again before a person has to
// look at it.
const recoveries = 2

func hasDev(e *Engine) bool { return e.Dev != nil && e.cfg.DevHealth && e.Dev.Present() }

func upDev(ctx context.Context, e *Engine) error {
	return e.Dev.Up(ctx, func(text string) { e.remark("dev: %s", text) })
}

// checkDev looks whether the environment is still up after a chunk, and heals it.
func checkDev(ctx context.Context, e *Engine) error {
	if !hasDev(e) {
		return nil
	}
	err := e.Dev.Check(ctx)
	if err != nil {
		e.remark("the dev environment is not well: %v; it is brought up again", err)
	}
	return bringUp(ctx, e, err)
}

// bringUp brings it up again while something is wrong, a bounded number of times.
func bringUp(ctx context.Context, e *Engine, err error) error {
	var untrusted *trust.Untrusted
	for n := 0; err != nil && !errors.As(err, &untrusted) && n < recoveries && ctx.Err() == nil; n++ {
		err = upDev(ctx, e)
	}
	switch {
	case err == nil:
		return ctx.Err()
	case ctx.Err() != nil:
		return ctx.Err()
	case untrusted != nil:
		return needsPerson("warp trust --show, warp trust, then warp resume", "%v", err)
	}
	return needsPerson("look at warp dev logs, fix it, then warp resume", "the dev environment could not be brought up in %d attempts: %v", recoveries, err)
}

// adviseOnSeeds tells people where a chunk changes the schema without seed data.
func adviseOnSeeds(t *turn) {
	if t.Dev == nil || !t.cfg.DevSeed || !t.Dev.Present() || t.s.Chunk.Base == "" {
		return
	}
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil || tree == t.s.Chunk.Base {
		return
	}
	changes, err := t.Drive.Tree.CompareTrees(t.s.Chunk.Base, tree)
	if err != nil {
		return
	}
	for _, advice := range t.Dev.SeedAdvice(git.Paths(changes)) {
		t.remark("seed data: %s", advice)
	}
}
