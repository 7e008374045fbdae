package turnstile

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
)

// enlisted is a folder under the repository's common git folder with one file
// for each project whose drive is unfinished. By it git's hooks find drives in
// folders below the top of a work tree, and a hook notices that a state was
// deleted behind warp's back.
const enlisted = "warp-drives"

func enlistFile(root string) (string, bool) {
	place, ok := git.Locate(root)
	if !ok {
		return "", false
	}
	sum := fnv.New64a()
	sum.Write([]byte(root))
	return filepath.Join(place.Common(), enlisted, fmt.Sprintf("%016x", sum.Sum64())), true
}

// enlist notes that the project has an unfinished drive. It is a second look at
// what the state says: that it cannot be written does not stop a drive.
func (d *Drive) enlist(session string) {
	file, ok := enlistFile(d.root)
	if !ok || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	_ = os.WriteFile(file, []byte(d.root+"\n"+session+"\n"), 0o644)
}

// strike takes the note back.
func (d *Drive) strike() {
	if file, ok := enlistFile(d.root); ok {
		_ = os.Remove(file)
	}
}

// Lost tells whether the project has a drive whose state is gone, and to which
// session it belonged.
func Lost(root string) (session string, lost bool) {
	file, ok := enlistFile(root)
	if !ok {
		return "", false
	}
	text, err := os.ReadFile(file)
	if err != nil || HasState(root) {
		return "", false
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(rest), true
}

// Enlisted lists the projects of a repository that have an unfinished drive.
func Enlisted(place git.Place) []string {
	files, _ := filepath.Glob(filepath.Join(place.Common(), enlisted, "*")) // the pattern is well-formed
	var roots []string
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil {
			root, _, _ := strings.Cut(string(text), "\n")
			roots = append(roots, root)
		}
	}
	return roots
}
