package seal

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/event"
)

func none(string) string { return "" }

func named(path string) func(string) string {
	return func(name string) string {
		if name == Variable {
			return path
		}
		return ""
	}
}

// Many processes that start at once have one key.
func TestOneKeyIsMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "warp")
	macs := make([]string, 32)
	var wait sync.WaitGroup
	for i := range macs {
		wait.Go(func() {
			k, err := Open(none, dir)
			if err != nil {
				t.Error(err)
				return
			}
			macs[i] = k.Sign("row", []byte("x"))
		})
	}
	wait.Wait()
	for _, m := range macs {
		if m != macs[0] || len(m) != event.MacLength {
			t.Fatalf("%q", macs)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v %v", list, err)
	}
	if info, err := list[0].Info(); err != nil || info.Size() != size || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestASignatureIsForItsPurposeAndText(t *testing.T) {
	a, b := &Key{secret: []byte("one")}, &Key{secret: []byte("two")}
	seen := map[string]bool{}
	for _, m := range []string{a.Sign("row", []byte("x")), a.Sign("row", []byte("y")), a.Sign("snapshot drive", []byte("x")), b.Sign("row", []byte("x"))} {
		if seen[m] {
			t.Error("two texts have one signature")
		}
		seen[m] = true
	}
}

func TestMarksAreOutsideOfProjects(t *testing.T) {
	dir := t.TempDir()
	k, err := Open(none, dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := k.Mark("/a/.claude"), k.Mark("/b/.claude"); a == b || filepath.Dir(a) != filepath.Join(dir, "journals") || (&Key{}).Mark("/a") != "" {
		t.Errorf("%q, %q", a, b)
	}
}

func TestAFleetSharesAKey(t *testing.T) {
	shared := filepath.Join(t.TempDir(), "fleet.key")
	if err := os.WriteFile(shared, []byte(strings.Repeat("k", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	one, err := Open(named(shared), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	two, err := Open(named(shared), t.TempDir())
	if err != nil || one.Sign("row", nil) != two.Sign("row", nil) {
		t.Errorf("%v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(shared, link); err != nil {
		t.Fatal(err)
	}
	if three, err := Open(named(link), ""); err != nil || three.Sign("row", nil) != one.Sign("row", nil) {
		t.Errorf("by a link: %v", err)
	}
}

func TestAKeyThatIsNoneIsRefused(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	full := strings.Repeat("k", size)
	for why, path := range map[string]string{
		"can be read or written by others": file("open", full, 0o644),
		"has 3 bytes":                      file("short", "abc", 0o600),
		"has 5000 bytes":                   file("long", strings.Repeat("k", 5000), 0o600),
		"is not a file":                    dir,
		"must be an absolute path":         "relative",
		"no such file":                     filepath.Join(dir, "missing"),
	} {
		if _, err := Open(named(path), t.TempDir()); err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), Variable) {
			t.Errorf("%s: %v", why, err)
		}
	}
	own := t.TempDir()
	if err := os.Mkdir(filepath.Join(own, Name), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(none, own); err == nil {
		t.Error("a folder is a key")
	}
	if _, err := Open(none, file("in-the-way", "", 0o600)); err == nil {
		t.Error("a file is a folder")
	}
}
