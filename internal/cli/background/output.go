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

// nameOutput returns the file for the output of a process that this one starts. It gets its lasting
// name when the process works: one that is refused leaves the output of what runs already alone, even
// if this process is killed meanwhile. Windows renames no open file, so there the lasting name is
// taken at once, unless another process writes that file.
func nameOutput(out string, pid int) string {
	if runtime.GOOS == "windows" {
		if err := durable.MoveFile(out, earlier(out)); err == nil || errors.Is(err, fs.ErrNotExist) {
			return out
		}
	}
	return nameOwn(out, pid)
}

// keepOutput gives the output of a process that works its lasting name, and returns where it is. The
// output before it is kept, because its process may still write it.
func keepOutput(own, out string) string {
	if _, err := os.Stat(own); own == out || err != nil {
		return own
	}
	removeLeftOvers(out)
	_ = durable.MoveFile(out, earlier(out)) // none: this is the first
	if durable.MoveFile(own, out) != nil {
		return own
	}
	return out
}

// removeLeftOvers removes what starters that were killed left, if it was written before the output
// that is replaced now. Newer ones stay under their own names: the process of one may still write
// it, and in place of the lasting output they once took away that of the night that ran.
func removeLeftOvers(out string) {
	replaced, err := os.Stat(earlier(out))
	if err != nil {
		return
	}
	files, _ := os.ReadDir(filepath.Dir(out)) // what cannot be read stays
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
