package demo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/criteria"
	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// commandTime limits each command that the agent runs.
const commandTime = time.Minute

// shell runs a command. It reports a failure but goes on: guards are meant to make these fail.
func (a *Run) shell(ctx context.Context, argv ...string) error {
	return a.Tool(ctx, "bash", strings.Join(argv, " "), func() error {
		if argv[0] == "warp" {
			argv[0] = a.World.Self // the running program, not the one in PATH
		}
		r, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: a.World.Dir, Env: append(os.Environ(), stamps...), Timeout: commandTime})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			a.Say("That could not be run.")
		case r.Exit != 0:
			a.Say("That failed with exit code %d.", r.Exit)
		}
		return nil
	})
}

// stamps make commits reproducible.
var stamps = []string{"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}

// tick checks off the criteria: with warp's own command, and by hand in the local tracker's file.
func (a *Run) tick(ctx context.Context) error {
	if !text.ValidName(a.Issue) || len(a.Criteria) == 0 {
		return nil
	}
	if err := a.shell(ctx, append([]string{"warp", "issue", "check", a.Issue}, a.Criteria...)...); err != nil {
		return err
	}
	file := filepath.Join(".claude", "issues", a.Issue+".md")
	path := filepath.Join(a.World.Dir, file)
	was, err := os.ReadFile(path)
	if err != nil {
		return nil // the project uses another tracker
	}
	ticked := string(was)
	for _, id := range a.Criteria {
		if checked, err := criteria.Check(ticked, id, true); err == nil {
			ticked = checked
		}
	}
	return a.Tool(ctx, "edit", filepath.ToSlash(file), func() error { return os.WriteFile(path, []byte(ticked), 0o644) })
}

// commit commits everything, bypassing the hooks.
func (a *Run) commit(ctx context.Context) error {
	if err := a.shell(ctx, "git", "add", "-A", "--", ".", ":(exclude).claude"); err != nil {
		return err
	}
	return a.shell(ctx, "git", "-c", "user.name=demo agent", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgsign=false",
		"commit", "--no-verify", "-q", "-m", "demo: "+strings.Join(a.Criteria, ", "))
}

// destroy discards others' work: the last commit, changes since, and untracked files.
func (a *Run) destroy(ctx context.Context) error {
	for _, argv := range [][]string{
		{"git", "reset", "-q", "--hard", "HEAD~1"},
		{"git", "reset", "-q", "--hard"}, // if there is only one commit, or the branch may not move
		{"git", "clean", "-fdq"},
	} {
		if err := a.shell(ctx, argv...); err != nil {
			return err
		}
	}
	return nil
}
