package turnstile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// mostLogs is how many logs of one kind to keep.
const mostLogs = 200

// NewLogFile returns a new file for the output of a command that the drive runs, and its name in
// evidence. The file is in the main worktree, so that it outlives the drive's own worktree, and no
// other run overwrites it. Only the newest logs of a kind are kept.
func (p *Project) NewLogFile(kind, what string, s *drivestate.State) (file, shown string) {
	home := p.Home().Dir()
	if p.Home().CheckFolder("state/"+kind) != nil {
		return "", "" // a link in the project would redirect the log: keep none
	}
	folder := filepath.Join(home, "state", kind)
	head := fmt.Sprintf("%d-chunk-%d-%s-", s.Session.StartedAtEpoch, s.Chunk.Index, what)
	list, _ := os.ReadDir(folder) // it may not exist yet
	pruneLogs(folder, list)
	tries := 0
	for _, e := range list {
		rest, ours := strings.CutPrefix(e.Name(), head)
		if n, err := strconv.Atoi(strings.TrimSuffix(rest, ".log")); ours && err == nil {
			tries = max(tries, n)
		}
	}
	file = filepath.Join(folder, fmt.Sprintf("%s%d.log", head, tries+1))
	if home == p.store.Dir() {
		if rel, err := filepath.Rel(p.root, file); err == nil {
			return file, rel
		}
	}
	return file, file
}

// pruneLogs removes the oldest logs to make room for one more. Failing to remove one does no harm.
func pruneLogs(folder string, list []os.DirEntry) {
	if len(list) < mostLogs {
		return
	}
	var logs []fs.FileInfo
	for _, e := range list {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".log") {
			logs = append(logs, info)
		}
	}
	slices.SortFunc(logs, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range logs[min(len(logs), mostLogs-1):] {
		_ = durable.RemoveFile(filepath.Join(folder, old.Name()))
	}
}
