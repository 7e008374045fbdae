package inbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// watchers is the folder with a file for each watcher, by process.
const watchers = "state/watchers"

// JoinWatchers records that this process shows a project to a person, until leave is called: questions
// wait for an answer then, as for a person at the terminal of warp drive. home is the folder of the
// project's shared state.
func JoinWatchers(home string) (leave func(), err error) {
	pid := os.Getpid()
	stamp, _ := proc.Started(pid) // if unknown, only the pid counts
	dir := filepath.Join(home, filepath.FromSlash(watchers))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("recording that a person watches: %w", err)
	}
	IsWatched(home) // removes what killed watchers left
	file := filepath.Join(dir, strconv.Itoa(pid))
	if err := durable.WriteNote(file, []byte(stamp)); err != nil {
		return nil, fmt.Errorf("recording that a person watches: %w", err)
	}
	return func() { _ = durable.RemoveFile(file) }, nil
}

// IsWatched reports whether a person watches.
func IsWatched(home string) (is bool) {
	dir := filepath.Join(home, filepath.FromSlash(watchers))
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
