package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/durable"
)

// runs is the folder of all runs' outputs and results, under the store.
const runs = "state/runs"

// How many finished runs are kept.
const (
	runsMost   = 200                // folders, but none younger than runsSpared is removed
	runsSpared = 2 * 24 * time.Hour // all issues of a night share the folder, and are read the day after
	runsLeast  = 20                 // regardless of age: a person may have been away
	runsFor    = 14 * 24 * time.Hour
	prunedMost = 100 // folders that one start removes
)

func (r *Runner) runs() string { return filepath.Join(r.Store.Dir(), filepath.FromSlash(runs)) }

// folder creates a run's folder. That of a checker, or of who settles a dispute about a check, is
// where no other agent reads.
func (r *Runner) folder(id string, role Role) (string, error) {
	if (role == Check || role == Choose) && r.Private != "" {
		dir := filepath.Join(r.Private, "runs", id)
		return dir, os.MkdirAll(dir, 0o700)
	}
	dir := filepath.Join(r.runs(), id)
	err := r.makeRunsFolder()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("making a folder for the agent's output: %w", err)
	}
	return dir, nil
}

// makeRunsFolder creates the folder of all runs. Agents' output must never be committed, even where
// warp init never ran.
func (r *Runner) makeRunsFolder() error {
	if err := r.Store.CheckFolder(runs); err != nil {
		return err
	}
	if err := os.MkdirAll(r.runs(), 0o700); err != nil {
		return err
	}
	const ignore = ".gitignore"
	if _, err := os.Lstat(filepath.Join(r.runs(), ignore)); err == nil {
		return nil
	}
	path := filepath.ToSlash(filepath.Join(filepath.Base(r.Store.Dir()), runs, ignore))
	if err := r.Store.EditFile(path, func([]byte) ([]byte, error) { return []byte("*\n"), nil }); err != nil {
		return fmt.Errorf("keeping it out of git: %w", err)
	}
	return nil
}

// prune removes old runs. It ignores errors: the next start tries again.
func (r *Runner) prune() {
	r.pruneFolder(r.runs())
	if r.Private != "" {
		r.pruneFolder(filepath.Join(r.Private, "runs"))
	}
}

func (r *Runner) pruneFolder(folder string) {
	entries, err := os.ReadDir(folder) // sorted by name, and so by age
	if err != nil {
		return
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		_, ok := runStart(e.Name())
		return !ok || !e.IsDir()
	})
	old := 0
	for old < min(prunedMost, len(entries)-runsLeast) {
		at, _ := runStart(entries[old].Name())
		age := r.Now().Sub(at)
		if age <= runsSpared || age <= runsFor && old >= len(entries)-runsMost {
			break
		}
		old++
	}
	if old <= 0 { // nearly always: who runs is not looked up for that
		return
	}
	running, err := Running(r.Store)
	if err != nil {
		return
	}
	for _, e := range entries[:old] {
		if !slices.ContainsFunc(running, func(l Left) bool { return l.ID == e.Name() }) {
			_ = durable.RemoveFolder(filepath.Join(folder, e.Name()))
		}
	}
}

// runStart returns when the run of a folder began; false for other folders.
func runStart(id string) (time.Time, bool) {
	stamp, rest, _ := strings.Cut(id, "-")
	nano, err := strconv.ParseInt(stamp, 36, 64)
	return time.Unix(0, nano), err == nil && rest != "" && len(stamp) == len("dddddddddddd")
}
