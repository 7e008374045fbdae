package background

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// nameOutput returns the file for the output of a new process. keepOutput renames it once the
// process works: a refused process thus never overwrites the output of a running one, even if this
// process is killed meanwhile. Windows cannot rename an open file, so there the final name is used
// at once, unless another process is writing that file.
func nameOutput(out string, pid int) string {
	if runtime.GOOS == "windows" {
		if err := durable.MoveFile(out, earlier(out)); err == nil || errors.Is(err, fs.ErrNotExist) {
			return out
		}
	}
	return nameOwn(out, pid)
}

// keepOutput gives the output of a working process its final name and returns its path. It keeps
// the previous output, which its process may still be writing.
func keepOutput(own, out string) string {
	if _, err := os.Stat(own); own == out || err != nil {
		return own
	}
	removeLeftOvers(out)
	_ = durable.MoveFile(out, earlier(out)) // fails for the first run
	if durable.MoveFile(own, out) != nil {
		return own
	}
	return out
}

// removeLeftOvers removes the outputs of killed starters if they are older than the output being
// replaced. Newer ones keep their own names, because their process may still be writing (renaming
// one once removed the output of the night that was running).
func removeLeftOvers(out string) {
	replaced, err := os.Stat(earlier(out))
	if err != nil {
		return
	}
	files, _ := os.ReadDir(filepath.Dir(out)) // unreadable folders are kept
	for _, f := range files {
		number, ok := strings.CutPrefix(f.Name(), filepath.Base(out)+".")
		pid, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		_, alive := proc.Started(pid)
		if info, err := f.Info(); err == nil && !alive && info.ModTime().Before(replaced.ModTime()) {
			_ = durable.RemoveFile(nameOwn(out, pid)) // the next start tries again
		}
	}
}

func nameOwn(out string, pid int) string { return fmt.Sprintf("%s.%d", out, pid) }
func earlier(out string) string          { return out + ".before" }
