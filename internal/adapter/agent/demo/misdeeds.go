package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/criteria"
	"warp/internal/core/name"
	"warp/internal/sys/proc"
)

// commandTime bounds each command that the agent runs.
const commandTime = time.Minute

// shell runs a command. That one fails is told and not minded: guards are there
// to make these fail.
func (a *act) shell(ctx context.Context, argv ...string) error {
	return a.tool(ctx, "bash", strings.Join(argv, " "), func() error {
		if argv[0] == "warp" {
			argv[0] = a.world.Self // the one that runs, not the one in the PATH
		}
		r, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: a.world.Dir, Env: append(os.Environ(), stamps...), Timeout: commandTime})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			a.say("That could not be run.")
		case r.Exit != 0:
			a.say("That failed with exit code %d.", r.Exit)
		}
		return nil
	})
}

// stamps make the same commit the same commit.
var stamps = []string{"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}

// tick checks the criteria off: by warp's own command, and by hand in the local
// tracker's file.
func (a *act) tick(ctx context.Context) error {
	if !name.Valid(a.issue) || len(a.ids) == 0 {
		return nil
	}
	if err := a.shell(ctx, append([]string{"warp", "issue", "check", a.issue}, a.ids...)...); err != nil {
		return err
	}
	file := filepath.Join(".claude", "issues", a.issue+".md")
	path := filepath.Join(a.world.Dir, file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil // another tracker's
	}
	return a.tool(ctx, "edit", filepath.ToSlash(file), func() error {
		return os.WriteFile(path, []byte(ticked(string(text), a.ids)), 0o644)
	})
}

// ticked is a text with the boxes of criteria checked.
func ticked(text string, ids []string) string {
	boxes, err := criteria.Parse(text)
	if err != nil {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for _, c := range boxes {
		for _, id := range ids {
			if c.ID == id {
				lines[c.Line-1] = strings.Replace(lines[c.Line-1], "[ ]", "[x]", 1)
			}
		}
	}
	return strings.Join(lines, "")
}

// commit puts everything into a commit that no hook has seen.
func (a *act) commit(ctx context.Context) error {
	if err := a.shell(ctx, "git", "add", "-A", "--", ".", ":(exclude).claude"); err != nil {
		return err
	}
	return a.shell(ctx, "git", "-c", "user.name=demo agent", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgsign=false",
		"commit", "--no-verify", "-q", "-m", fmt.Sprintf("demo: %s", strings.Join(a.ids, ", ")))
}

// destroy takes away what others have made: the last commit, what was changed
// since, and what git does not know.
func (a *act) destroy(ctx context.Context) error {
	for _, argv := range [][]string{
		{"git", "reset", "-q", "--hard", "HEAD~1"},
		{"git", "reset", "-q", "--hard"}, // where there is only one commit, or the branch may not be moved
		{"git", "clean", "-fdq"},
	} {
		if err := a.shell(ctx, argv...); err != nil {
			return err
		}
	}
	return nil
}
