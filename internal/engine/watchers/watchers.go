// Package watchers knows whether a person watches a project: warp watch says so while it runs. Then
// questions wait for an answer, as for a person at the terminal of warp drive. Nothing else depends
// on it.
package watchers

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// folder has a file for each watcher, by process.
const folder = "state/watchers"

// Join records that this process shows a project to a person, until leave is called. home is the
// folder of the project's shared state.
func Join(home string) (leave func(), err error) {
	pid := os.Getpid()
	stamp, _ := proc.Started(pid) // if unknown, only the pid counts
	dir := filepath.Join(home, filepath.FromSlash(folder))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("recording that a person watches: %w", err)
	}
	Any(home) // removes what killed watchers left
	file := filepath.Join(dir, strconv.Itoa(pid))
	if err := durable.WriteNote(file, []byte(stamp)); err != nil {
		return nil, fmt.Errorf("recording that a person watches: %w", err)
	}
	return func() { _ = durable.RemoveFile(file) }, nil
}

// Any reports whether a person watches.
func Any(home string) (is bool) {
	dir := filepath.Join(home, filepath.FromSlash(folder))
	list, _ := os.ReadDir(dir) // without the folder no one does
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stamp, alive := proc.Started(pid)
		said, err := durable.ReadPlain(filepath.Join(dir, e.Name()))
		if alive && err == nil && string(said) == stamp {
			is = true
		} else {
			_ = durable.RemoveFile(filepath.Join(dir, e.Name()))
		}
	}
	return is
}
