package worker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"warp/internal/fleet/flow"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
)

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// prepareClone is the requirement's own clone. One that is there already has a drive in
// it, whose state is worth more than a fresh one.
func (w *Worker) prepareClone(ctx context.Context, work flow.Work) (string, error) {
	repo := work.Repository
	dir := filepath.Join(w.Folder, unsafeName.ReplaceAllString(repo.Name, "-"), "issue-"+unsafeName.ReplaceAllString(work.Issue, "-"))
	if git.IsTop(dir) {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", err
	}
	if err := gitwrite.Clone(ctx, repo.URL, dir, repo.Target); err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n") // git adds advice for other cases
		return "", fmt.Errorf("clone %s on %s: %s (git there must be able to read it without a person)", repo.Name, w.Name, why)
	}
	if repo.Tracker != "" {
		if err := w.runWarp(ctx, dir, "config", "set", "forge", repo.Tracker); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// runWarp runs a command of warp in a clone.
func (w *Worker) runWarp(ctx context.Context, dir string, args ...string) error {
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{w.Warp}, args...), Dir: dir, Env: w.Environ})
	if err == nil && res.Exit != 0 {
		err = fmt.Errorf("warp %s: %s", strings.Join(args, " "), lastLine(string(res.Stderr)))
	}
	return err
}
