package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/durable"
)

// KeepRuns moves the runs of a work tree that is about to be removed to the store of the folder
// that it belongs to. The transcripts of every merged issue of a night were lost with its work tree.
func KeepRuns(from, to *durable.Store, now func() time.Time) error {
	left, kept := &Runner{Store: from, Now: now}, &Runner{Store: to, Now: now}
	if err := from.CheckFolder(runs); err != nil {
		return fmt.Errorf("keeping the output of agents: %w", err)
	}
	entries, err := os.ReadDir(left.runs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = kept.makeRunsFolder()
	}
	if err != nil {
		return fmt.Errorf("keeping the output of agents: %w", err)
	}
	for _, e := range entries {
		if _, ok := runStart(e.Name()); ok && e.IsDir() {
			err = errors.Join(err, os.Rename(filepath.Join(left.runs(), e.Name()), filepath.Join(kept.runs(), e.Name())))
		}
	}
	kept.prune()
	return err
}

// FindLog returns where the log of a run is: at its path, or where KeepRuns moved it.
func FindLog(path string) string {
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	slashed := filepath.ToSlash(path)
	at := strings.LastIndex(slashed, "/.claude/worktrees/") // the project may itself be in such a folder
	if _, run, ok := strings.Cut(slashed[max(at, 0):], "/.claude/"+runs+"/"); ok && at >= 0 {
		return filepath.Join(filepath.FromSlash(slashed[:at]), ".claude", filepath.FromSlash(runs), filepath.FromSlash(run))
	}
	return path
}
