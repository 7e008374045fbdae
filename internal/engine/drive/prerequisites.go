package drive

import (
	"context"

	"warp/internal/core/drive"
	"warp/internal/core/project"
	"warp/internal/turnstile"
)

// fit checks, before a session is begun, what would only leave one behind that
// nobody wants: a typo, an issue that cannot be worked on, the wrong branch.
func (e *Engine) fit(ctx context.Context) error {
	level := e.Level
	if level == 0 {
		cfg, err := e.Drive.Project.Settings()
		if err != nil {
			return err
		}
		level = cfg.Level
	}
	if level != 2 && level != 3 {
		return turnstile.ErrLevel
	}
	if err := e.ready(); err != nil {
		return err
	}
	if e.Issue != "" {
		i, err := e.named(ctx, e.Issue)
		if err != nil {
			return err
		}
		if err := e.halfDone(ctx, i); err != nil {
			return err
		}
	}
	if level == 3 || e.Own {
		return nil
	}
	main, err := e.repo().MainBranch()
	if err != nil {
		return nil // the prerequisites say so
	}
	return e.notMain(main)
}

// ready wants something to build on, and a way to test it.
func (e *Engine) ready() error {
	if _, err := e.head(); err != nil {
		return needsPerson("make a first commit, then warp drive", "there is nothing to build on: %v", err)
	}
	if e.cfg.TestBeforeCommit {
		_, err := e.testCommand()
		return err
	}
	return nil
}

// notMain wants a branch of the user's at level 2.
func (e *Engine) notMain(main string) error {
	on, err := e.checkedOut()
	if err != nil {
		return err
	}
	if on == "" || on == main {
		return needsPerson("git switch -c feature/issue-NN-title, then warp drive again; or warp drive --worktree, which makes its own",
			"Must not be on main/master: level 2 works on a branch of yours, and %s is checked out", orDetached(on))
	}
	return nil
}

// prerequisites checks what has to be there before anything is begun.
func (e *Engine) prerequisites(ctx context.Context, s *drive.State) (move, error) {
	if err := e.ready(); err != nil {
		return move{}, err
	}
	if err := e.Work.Identity(ctx); err != nil {
		return move{}, needsPerson("do so, then warp resume", "%v", err)
	}
	if s.Session.Level == 2 && !e.Own {
		if err := e.notMain(s.MainBranch); err != nil {
			return move{}, err
		}
	}
	if err := e.devUp(ctx); err != nil {
		return move{}, err
	}
	if err := e.Tracker.MakeLabels(ctx, labels); err != nil {
		e.remark("the labels could not be made yet: %v", err)
	}
	e.passed("labels")
	return move{on: drive.PrerequisitesOK}, nil
}

func orDetached(branch string) string {
	if branch == "" {
		return "no branch"
	}
	return branch
}

// testCommand is how the project's tests are run.
func (e *Engine) testCommand() (string, error) {
	if e.cfg.TestCommand != "" {
		if e.cfg.Refused != nil {
			return "", needsPerson("warp trust, then warp resume", "%v", e.cfg.Refused)
		}
		return e.cfg.TestCommand, nil
	}
	found := project.Detect(e.has)
	if len(found) == 0 {
		return "", needsPerson(`warp config set test_command "…" (or test_before_commit false), then warp resume`,
			"no test command is configured, and none was detected (Go, Node, Python, Rust, Make, Maven)")
	}
	return found[0].Command, nil
}
