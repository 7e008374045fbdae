package gitwrite

import (
	"fmt"
	"os"
	"path/filepath"
)

// scratch is a temporary folder inside git's, out of the way.
type scratch string

func newScratch(gitDir, name string) (scratch, error) {
	dir, err := os.MkdirTemp(gitDir, "warp-"+name)
	if err != nil {
		return "", fmt.Errorf("making a folder in %s: %w; check that it can be written to", gitDir, err)
	}
	return scratch(dir), nil
}

func (s scratch) remove() { _ = os.RemoveAll(string(s)) }

func (s scratch) index() []string {
	return []string{"GIT_INDEX_FILE=" + filepath.Join(string(s), "index")}
}
