package judge

import (
	"os"
	"path/filepath"

	"warp/internal/core/project"
	"warp/internal/durable"
)

// ReadProject reads the files in a project's root, for core/project to tell how
// its code is tested and checked.
func ReadProject(root string) project.Files {
	return func(path string) ([]byte, bool) {
		full := filepath.Join(root, filepath.FromSlash(path))
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			return nil, true
		}
		text, err := durable.ReadPlain(full)
		return text, err == nil
	}
}
