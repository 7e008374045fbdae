// Package detect tells how a project's code is tested, as its files tell.
package detect

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/project"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// FindTests is how code is tested, as its files tell; "": they do not.
func FindTests(files project.Files) string {
	if found := project.Detect(files, importable); len(found) > 0 {
		return found[0].Command
	}
	return ""
}

// findModule is how Python is asked for a module: it is looked up, not run.
const findModule = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"

// importable tells whether Python has a module, wherever it was installed. Python looks
// in the current folder first, so it is asked in one that no project's files are in.
func importable(module string) bool {
	r, err := proc.Run(context.Background(), proc.Cmd{Argv: []string{"python3", "-c", findModule, module}, Dir: string(filepath.Separator), Timeout: moduleTime})
	return err == nil && r.Exit == 0 && !r.TimedOut
}

// moduleTime is how long Python may take to answer.
const moduleTime = 10 * time.Second

// ReadProject reads the files in a project's root, for core/project to tell how
// its code is tested and checked.
func ReadProject(root string) project.Files {
	return func(path string) ([]byte, bool) {
		full := filepath.Join(root, filepath.FromSlash(path))
		if strings.Contains(path, "*") {
			found, _ := fs.Glob(os.DirFS(root), path) // a folder that cannot be read has none
			return nil, len(found) > 0
		}
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			return nil, true
		}
		text, err := durable.ReadPlain(full)
		return text, err == nil
	}
}
