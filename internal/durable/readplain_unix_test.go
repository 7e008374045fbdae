//go:build unix

package durable_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"warp/internal/durable"
)

// What is read is what is there, whatever its size, and also where the kernel says of it that
// it has none.
func TestAPlainFileIsReadWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, 511, 512, 513, 70_000} {
		want := bytes.Repeat([]byte("x"), size)
		must(t, os.WriteFile(file, want, 0o600))
		for _, read := range []func(string) ([]byte, error){durable.ReadPlain, durable.ReadSeen} {
			if have, err := read(file); err != nil || !bytes.Equal(have, want) {
				t.Errorf("of %d bytes %d were read: %v", size, len(have), err)
			}
		}
	}
	if runtime.GOOS == "linux" {
		want, err := os.ReadFile("/proc/self/mountinfo")
		must(t, err)
		if have, err := durable.ReadPlain("/proc/self/mountinfo"); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%d bytes, not %d: %v", len(have), len(want), err)
		}
	}
}

// Whatever stands in the place of a file is told, and not waited for.
func TestWhatIsNoPlainFileIsNotRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, syscall.Mkfifo(at("pipe"), 0o600))
	must(t, os.Mkdir(at("folder"), 0o700))
	must(t, os.WriteFile(at("file"), []byte("x"), 0o600))
	must(t, os.Symlink(at("file"), at("link")))
	for _, name := range []string{"pipe", "folder"} {
		for _, read := range []func(string) ([]byte, error){durable.ReadPlain, durable.ReadSeen} {
			if _, err := read(at(name)); !errors.Is(err, durable.ErrOdd) || !strings.Contains(err.Error(), at(name)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := durable.ReadPlain(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if text, err := durable.ReadPlain(at("link")); string(text) != "x" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := durable.ReadSeen(at("link")); err == nil {
		t.Errorf("a link was followed to %q", text)
	}
}
