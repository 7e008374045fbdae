package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/durable"
)

// runs is where each run keeps its output and its result, under the store.
const runs = "state/runs"

// What is kept of runs that are over.
const (
	runsMost   = 200 // folders
	runsLeast  = 20  // however old they are: a person may have been away
	runsFor    = 14 * 24 * time.Hour
	prunedMost = 100 // folders that one start takes away
)

func (r *Runner) runs() string { return filepath.Join(r.Store.Dir(), filepath.FromSlash(runs)) }

// folder makes the folder of a run. What agents print must never be committed, also
// where warp init has never been.
func (r *Runner) folder(id string) (string, error) {
	if err := r.Store.CheckFolder(runs); err != nil {
		return "", fmt.Errorf("making a folder for the agent's output: %w", err)
	}
	dir := filepath.Join(r.runs(), id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making a folder for the agent's output: %w", err)
	}
	const ignore = ".gitignore"
	if _, err := os.Lstat(filepath.Join(r.runs(), ignore)); err == nil {
		return dir, nil
	}
	path := filepath.ToSlash(filepath.Join(filepath.Base(r.Store.Dir()), runs, ignore))
	if err := r.Store.EditFile(path, func([]byte) ([]byte, error) { return []byte("*\n"), nil }); err != nil {
		return "", fmt.Errorf("keeping the agent's output out of git: %w", err)
	}
	return dir, nil
}

// prune takes old runs away. It never minds what it cannot do: the next start
// tries again.
func (r *Runner) prune() {
	entries, err := os.ReadDir(r.runs()) // by name, which is by age
	if err != nil || len(entries) <= runsLeast {
		return
	}
	running, err := Running(r.Store)
	if err != nil {
		return
	}
	var ids []string
	for _, e := range entries {
		if _, ok := begun(e.Name()); ok && e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	removed := 0
	for i, id := range ids {
		newer := len(ids) - 1 - i
		at, _ := begun(id)
		switch {
		case removed == prunedMost || newer < runsLeast:
			return
		case newer < runsMost && r.Now().Sub(at) <= runsFor:
			continue
		case slices.ContainsFunc(running, func(l Left) bool { return l.ID == id }):
			continue
		}
		_ = durable.RemoveFolder(filepath.Join(r.runs(), id))
		removed++
	}
}

// begun is when the run of a folder began. What is no name of a run is left alone.
func begun(id string) (time.Time, bool) {
	stamp, rest, _ := strings.Cut(id, "-")
	nano, err := strconv.ParseInt(stamp, 36, 64)
	return time.Unix(0, nano), err == nil && rest != "" && len(stamp) == len("dddddddddddd")
}
