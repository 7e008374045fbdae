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
	if own == out {
		return out
	}
	_ = durable.MoveFile(out, earlier(out)) // none: this is the first
	if durable.MoveFile(own, out) != nil {
		return own
	}
	return out
}

// adoptOutput keeps the output of processes whose starter was killed before it could.
func adoptOutput(out string) {
	files, _ := os.ReadDir(filepath.Dir(out)) // none: nothing was started here
	for _, f := range files {
		number, _ := strings.CutPrefix(f.Name(), filepath.Base(out)+".")
		pid, err := strconv.Atoi(number)
		if _, alive := proc.Started(pid); err == nil && !alive {
			keepOutput(nameOwn(out, pid), out)
		}
	}
}

func nameOwn(out string, pid int) string { return fmt.Sprintf("%s.%d", out, pid) }
func earlier(out string) string          { return out + ".before" }
