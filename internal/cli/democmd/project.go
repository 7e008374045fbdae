package democmd

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// files are the initial files of the repository, and its issue.
//
//go:embed project issue.md
var files embed.FS

// notes is a user's file unknown to git.
const notes, noted = "notes.txt", "This file is yours: warp leaves it alone, and restores it if an agent does not.\n"

// settings are the demo's settings. The agent's idle time is short if it hangs, so that the demo
// does not wait long.
const settings = `{
  "_workflow": {
    "level": 3,
    "agent": "demo",
    "forge": "local",
    "test_command": "sh test.sh",
    "max_session_cost": 5,
    "max_idle_seconds": %d
  }
}
`

// prepare creates the repository and its issue.
func prepare(ctx context.Context, a *app.App, d *turnstile.Drive, w way) (forge.Tracker, error) {
	root := d.Root()
	template, err := fs.Sub(files, "project")
	if err == nil {
		err = os.CopyFS(root, template)
	}
	if err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"init", "-q", "--template="},
		{"symbolic-ref", "HEAD", "refs/heads/main"},
		// Do not depend on the user's configuration.
		{"config", "user.name", "warp demo"},
		{"config", "user.email", "demo@example.invalid"},
		{"config", "commit.gpgSign", "false"},
		{"config", "core.hooksPath", filepath.Join(root, ".git", "hooks")},
		{"add", "-A"},
		{"commit", "-q", "-m", "chore: begin"},
	} {
		if _, err := (git.Repo{Dir: root}).Must(ctx, git.Call{Args: args}); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(root, notes), []byte(noted), 0o644); err != nil {
		return nil, err
	}
	if err := d.Project.EditSettings(func([]byte) ([]byte, error) { return fmt.Appendf(nil, settings, w.idle()), nil }); err != nil {
		return nil, err
	}
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return nil, err
	}
	body, err := files.ReadFile("issue.md")
	if err != nil {
		return nil, err
	}
	_, err = t.Create(ctx, forge.NewIssue{Title: "Functions that say their criterion", Body: string(body), Labels: []string{"req", forge.Approved}})
	return t, err
}
