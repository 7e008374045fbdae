package initcmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/cli/initcmd/record"
	"warp/internal/durable"
)

// projectsFolder is a folder under the repository's git folder with one file for each
// project that warp was set up in. Projects of one repository, and its linked work
// trees, share git's hooks: the last one to go takes them away.
const projectsFolder = "warp-projects"

func projectFile(common, root string) string {
	return filepath.Join(common, projectsFolder, record.Sum([]byte(root))[:16])
}

// registerProject notes that a project uses the repository's hooks.
func registerProject(common, root string) error {
	file := projectFile(common, root)
	if text, err := durable.ReadPlain(file); err == nil && string(text) == root+"\n" {
		return nil
	}
	return durable.WriteFile(file, []byte(root+"\n"), 0o644)
}

// unregisterProject takes the note back, and with the last one those of projects that
// are gone.
func unregisterProject(common, root string) {
	_ = durable.RemoveFile(projectFile(common, root)) // there may be none
	if len(otherProjects(common, root)) == 0 {
		_ = durable.RemoveFolder(filepath.Join(common, projectsFolder))
	}
}

// otherProjects lists the other projects that use the repository's hooks: those whose
// record of being set up is still there.
func otherProjects(common, root string) []string {
	files, _ := filepath.Glob(filepath.Join(common, projectsFolder, "*")) // the pattern is well-formed
	var roots []string
	for _, f := range files {
		text, err := durable.ReadPlain(f)
		other := strings.TrimSuffix(string(text), "\n")
		if err == nil && other != root && exists(filepath.Join(other, filepath.FromSlash(record.File))) {
			roots = append(roots, other)
		}
	}
	slices.Sort(roots)
	return roots
}

func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
