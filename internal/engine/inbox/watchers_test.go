package inbox_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"warp/internal/engine/inbox"
)

func TestSomebodyWatches(t *testing.T) {
	home := t.TempDir()
	if inbox.IsWatched(home) {
		t.Error("nobody does")
	}
	leave, err := inbox.JoinWatchers(home)
	if err != nil {
		t.Fatal(err)
	}
	if !inbox.IsWatched(home) {
		t.Error("this test does")
	}
	leave()
	if inbox.IsWatched(home) {
		t.Error("it has left")
	}
}

// A process that was killed leaves its file; its number may be another's since.
func TestOneThatWasKilledDoesNotWatch(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "state", "watchers")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, stamp := range map[string]string{strconv.Itoa(1 << 30): "1", strconv.Itoa(os.Getpid()): "of another", "x": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(stamp), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if inbox.IsWatched(home) {
		t.Error("nobody does")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%v", left)
	}
}
