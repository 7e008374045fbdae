package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// movesMost is how large the file of moves may grow before another is begun.
const movesMost = 64 << 10

// movesFile is where engines note the references that they have moved, so that
// the guard of another engine does not take it for its agent's doing.
func (g *repository) movesFile() string { return filepath.Join(g.place.Common(), "warp", "moves") }

// RecordMove notes that an engine has moved a reference. Engines append at the same
// time: a file that is full is put away whole, so that no line is lost.
func (g *Guard) RecordMove(ref, to string) error {
	g.Shared.Moved(ref, to)
	path := g.movesFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > movesMost {
		if err := os.Rename(path, path+".old"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s %d\n", ref, to, g.Now().UnixNano())
	return errors.Join(err, f.Close())
}

// recorded tells whether another engine has moved a reference to where it is since
// the run began: forward or aside, never back.
func (g *Guard) recorded(ref, was, to string) bool {
	if back, err := g.Work.Repo().Descends(was, to); err != nil || back {
		return false
	}
	for _, path := range []string{g.movesFile(), g.movesFile() + ".old"} {
		text, _ := os.ReadFile(path) // mostly there is none
		for line := range strings.Lines(string(text)) {
			var r, h string
			var at int64
			if _, err := fmt.Sscan(line, &r, &h, &at); err == nil && r == ref && h == to && at >= g.Shared.began.UnixNano() {
				return true
			}
		}
	}
	return false
}
