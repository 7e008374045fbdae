package gitobject_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/sys/gitobject"
)

// write puts an object where it belongs, or under another name.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	if err := os.MkdirAll(filepath.Join(dir, name[:2]), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name[:2], name[2:]), packed.Bytes(), 0o444); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestReadIsWhatTheNameSays(t *testing.T) {
	dir := t.TempDir()
	short := func(text string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(text))) }
	long := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	good, torn, nameless, large := "blob 2\x00hi", "blob 3\x00hi", "hi", fmt.Sprintf("blob %d\x00%s", gitobject.Most, strings.Repeat("x", gitobject.Most))
	for _, c := range []struct {
		what, name string
		ok         bool
	}{
		{"an object", write(t, dir, short(good), good), true},
		{"one of SHA-256", write(t, dir, long(good), good), true},
		{"one of another size than it says", write(t, dir, short(torn), torn), false},
		{"one without a kind", write(t, dir, short(nameless), nameless), false},
		{"a large one", write(t, dir, short(large), large), false},
		{"one under another name", write(t, dir, short("other"), good), false},
		{"one that is missing", short("missing"), false},
		{"no hash", "main", false},
		{"a way out", "../" + short(good)[3:], false},
	} {
		kind, content, ok := gitobject.Files{}.Read(dir, c.name)
		if ok != c.ok || ok && (kind != "blob" || string(content) != "hi") {
			t.Errorf("%s: %q %q, %v", c.what, kind, content, ok)
		}
	}
	plain := short("plain")
	if err := os.MkdirAll(filepath.Join(dir, plain[:2], plain[2:]), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := (gitobject.Files{}).Read(dir, plain); ok {
		t.Error("a folder was read")
	}
	file := filepath.Join(dir, short(good)[:2], short(good)[2:])
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("not packed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := (gitobject.Files{}).Read(dir, short(good)); ok {
		t.Error("a file that is not packed was read")
	}
}

func TestSumTellsContentsApart(t *testing.T) {
	var x gitobject.Files
	if again := x.Sum([]byte("a")); x.Sum([]byte("a")) != again || x.Sum([]byte("b")) == again {
		t.Error("a sum is not that of its content")
	}
}
