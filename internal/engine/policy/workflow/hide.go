package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// hidden are patterns of files next to the state's folder, under .claude. The .gitignore of
// projects set up by an older version lacks them.
var hidden = []string{"agent-state*", "checkpoint*.json*", workflowstate.Archive + "/"}

// Hide makes git ignore a workflow's files if the project does not: by git's own info/exclude,
// which is on no branch and changes no tracked file.
func Hide(ctx context.Context, repo git.Repo, dir string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, pattern := range hidden {
		probe := filepath.Join(dir, strings.NewReplacer("*", ".old.json", "/", "/x").Replace(pattern))
		a, err := repo.Run(ctx, git.Call{Args: []string{"check-ignore", "-q", "--", probe}})
		if err != nil {
			return err
		}
		if a.Exit != 0 {
			fmt.Fprintf(&lines, "/%s%s/%s\n", root.Prefix, filepath.Base(dir), pattern)
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	out, err := repo.Must(ctx, git.Call{Args: []string{"rev-parse", "--path-format=absolute", "--git-path", "info/exclude"}})
	if err != nil {
		return fmt.Errorf("keeping the files of workflows out of git: %w", err)
	}
	file := strings.TrimSuffix(string(out), "\n")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	mode := fs.FileMode(0o644)
	if at, err := filepath.EvalSymlinks(file); err == nil { // dotfile managers make it a link
		file = at
		if info, err := os.Stat(at); err == nil {
			mode = info.Mode().Perm()
		}
	}
	return durable.WriteFile(file, append(text, lines.String()...), mode)
}
