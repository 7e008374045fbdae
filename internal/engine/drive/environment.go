package drive

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/drive"
	"warp/internal/core/trust"
)

// Environment is the project's dev environment: a server, a database, users.
type Environment interface {
	Present() bool
	Up(ctx context.Context, progress func(string)) error
	Check(ctx context.Context) error
	// SeedAdvice says where a change of the schema came without seed data.
	SeedAdvice(changed []string) []string
}

// recoveries is how often an environment is brought up again before somebody has
// to look at it.
const recoveries = 2

func (e *Engine) hasDev() bool { return e.Dev != nil && e.cfg.DevHealth && e.Dev.Present() }

// devUp brings the environment up before the work begins.
func (e *Engine) devUp(ctx context.Context) error {
	if !e.hasDev() {
		return nil
	}
	return e.raise(ctx, e.Dev.Up(ctx, e.progress))
}

// devCheck looks whether it is still up after a chunk, and heals it.
func (e *Engine) devCheck(ctx context.Context) error {
	if !e.hasDev() {
		return nil
	}
	err := e.Dev.Check(ctx)
	if err == nil {
		return nil
	}
	e.remark("the dev environment is not well: %v; it is brought up again", err)
	return e.raise(ctx, err)
}

// raise brings it up again while something is wrong, a bounded number of times.
func (e *Engine) raise(ctx context.Context, err error) error {
	var untrusted *trust.Untrusted
	for n := 0; err != nil && !errors.As(err, &untrusted) && n < recoveries && ctx.Err() == nil; n++ {
		err = e.Dev.Up(ctx, e.progress)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.As(err, &untrusted) {
		return needsPerson("warp trust --show, warp trust, then warp resume", "%v", err)
	}
	if err != nil {
		return needsPerson("look at warp dev logs, mend it, then warp resume", "the dev environment could not be brought up in %d attempts: %v", recoveries, err)
	}
	return nil
}

func (e *Engine) progress(text string) { e.remark("dev: %s", text) }

// seedAdvice tells people where a chunk changes the schema without seed data.
func (e *Engine) seedAdvice(s *drive.State, tree string) {
	if e.Dev == nil || !e.cfg.DevSeed || !e.Dev.Present() || s.Chunk.Base == "" || tree == s.Chunk.Base {
		return
	}
	changes, err := e.Drive.Tree.CompareTrees(s.Chunk.Base, tree)
	if err != nil {
		return
	}
	for _, advice := range e.Dev.SeedAdvice(paths(changes)) {
		e.remark("%s", fmt.Sprintf("seed data: %s", advice))
	}
}
