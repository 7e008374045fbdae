package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
				if err := durable.WriteNote(filepath.Join(dir, "note"), []byte("x")); err != nil {
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

// Of many that create a file, one does, and no one sees half of it.
func TestOneCreatesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "key")
	var all sync.WaitGroup
	var mu sync.Mutex
	created := 0
	for i := range 8 {
		all.Go(func() {
			err := durable.CreateFile(path, []byte{byte('a' + i)}, 0o640)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				created++
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	info, err := os.Stat(path)
	if created != 1 || err != nil || info.Size() != 1 || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("created %d times: %v, %v", created, info, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left beside it: %v", left)
	}
}

func TestWriteFileReplacesAndRemovesItsRest(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings")
	for _, text := range []string{"one", "two"} {
		if err := durable.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(folder, nil, 0o600); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}

func TestAppendNotePutsAFullFileAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "moves")
	for range 3 {
		if err := durable.AppendNote(path, []byte("0123456789"), 15, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now, _ := os.ReadFile(path)
	old, _ := os.ReadFile(path + ".old")
	if len(now) != 10 || len(old) != 20 {
		t.Errorf("%d and %d bytes, want 10 and 20", len(now), len(old))
	}
}

// What is only looked at is replaced whole, for its owner alone, and removed; a link in
// its way leads nowhere.
func TestWhatIsShown(t *testing.T) {
	root := t.TempDir()
	s := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: clock})
	path := filepath.Join(root, ".claude", "state", "live", "a.json")
	for _, text := range []string{"one", "two"} {
		if err := s.Show("state/live/a.json", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s, %v", got, err)
		}
	}
	killed := path + ".123.tmp" // left by a writer that was killed
	if err := os.WriteFile(killed, []byte("tw"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Unshow("state/live/a.json")
	s.Unshow("state/live/a.json")
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("still there: %v %v", left, err)
	}
	outside := t.TempDir()
	if err := os.Remove(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Dir(path)); err != nil {
		t.Skip(err)
	}
	if err := s.Show("state/live/a.json", []byte("x")); err == nil {
		t.Error("a link was followed")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v", left)
	}
}
