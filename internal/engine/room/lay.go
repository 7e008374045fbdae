package room

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"warp/internal/core/redfirst"
)

// Lay writes files over those of the tree, until the room is opened again. It follows no link out of
// the room: the tree is an agent's.
func (m *Room) Lay(files []redfirst.File) error {
	if len(files) == 0 {
		return nil
	}
	top, err := os.OpenRoot(m.top)
	if err != nil {
		return err
	}
	defer top.Close()
	for _, f := range files {
		name := filepath.FromSlash(f.Path)
		err := top.MkdirAll(filepath.FromSlash(path.Dir(f.Path)), 0o755)
		if st, bad := top.Lstat(name); err == nil && bad == nil && !st.IsDir() {
			err = top.Remove(name)
		}
		mode := fs.FileMode(0o644)
		if f.Run {
			mode = 0o755
		}
		if err == nil {
			err = top.WriteFile(name, []byte(f.Content), mode)
		}
		if err != nil {
			return fmt.Errorf("laying %s over the tree: %w", f.Path, err)
		}
	}
	return nil
}
