package qualityloop

import (
	"os"
	"os/exec"
	"path/filepath"

	"warp/internal/core/project"
)

// Detect lists the gates of a project as its files tell.
func Detect(root string) []Gate {
	has := func(path string) ([]byte, bool) {
		full := filepath.Join(root, filepath.FromSlash(path))
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			return nil, true
		}
		text, err := os.ReadFile(full)
		return text, err == nil
	}
	installed := func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
	return project.Checks(has, installed)
}
