// Package detect finds a project's test command from its files.
package detect

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/project"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// FindTests returns the test command that the files imply, or "".
func FindTests(files project.Files) string {
	if found := project.Detect(files, machine); len(found) > 0 {
		return found[0].Command
	}
	return ""
}

var machine = project.Machine{
	Importable: func(module string) bool { return canImport(project.SystemPython, module) },
	Installed:  isInstalled,
}

func isInstalled(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// findModule looks up a Python module without running it.
const findModule = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"

// canImport reports whether a Python has a module, wherever it was installed. Python searches the
// current folder first, so this runs in one without a project's files.
func canImport(python, module string) bool {
	r, err := proc.Run(context.Background(), proc.Cmd{Argv: []string{python, "-c", findModule, module}, Dir: string(filepath.Separator), Timeout: moduleTime})
	return err == nil && r.Exit == 0 && !r.TimedOut
}

// moduleTime is how long Python may take to answer.
const moduleTime = 10 * time.Second

// ReadProject reads the files in a project's root, from which core/project derives how its code is
// tested and checked.
func ReadProject(root string) project.Files {
	return func(path string) ([]byte, bool) {
		full := filepath.Join(root, filepath.FromSlash(path))
		if strings.Contains(path, "*") {
			found, _ := fs.Glob(os.DirFS(root), path) // an unreadable folder has none
			return nil, len(found) > 0
		}
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			return nil, true
		}
		text, err := durable.ReadPlain(full)
		return text, err == nil
	}
}
