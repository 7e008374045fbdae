package durable_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"warp/internal/durable"
)

// Several processes, and several calls in one, leave a note at once: each is written whole.
func TestNotesAtOnce(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := durable.Jot(filepath.Join(dir, "note"), []byte("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
