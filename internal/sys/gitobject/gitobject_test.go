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
	"time"

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

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	files := gitobject.Files{}
	for length, want := range map[int]string{40: fmt.Sprintf("%x", sha1.Sum([]byte("blob 2\x00hi"))), 64: fmt.Sprintf("%x", sha256.Sum256([]byte("blob 2\x00hi")))} {
		for range 2 { // the second time it is there
			name, err := files.Write(dir, "blob", []byte("hi"), length)
			if err != nil || name != want {
				t.Fatalf("%s, %v; want %s", name, err, want)
			}
		}
		if kind, content, ok := files.Read(dir, want); !ok || kind != "blob" || string(content) != "hi" {
			t.Errorf("it is %q %q, %v", kind, content, ok)
		}
	}
	if left, _ := filepath.Glob(dir + "/*/tmp_obj_*"); left != nil {
		t.Errorf("left behind: %s", left)
	}
}

// An object that was there long ago may be collected now, unless it looks new.
func TestWriteMakesAnOldObjectNew(t *testing.T) {
	dir := t.TempDir()
	name, err := gitobject.Files{}.Write(dir, "blob", []byte("hi"), 40)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name[:2], name[2:])
	old := time.Unix(1_000_000, 0)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := (gitobject.Files{}).Write(dir, "blob", []byte("hi"), 40); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || !info.ModTime().After(old) {
		t.Errorf("it is of %v: %v", info.ModTime(), err)
	}
}

func TestWriteSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if _, err := (gitobject.Files{}).Write(dir, "blob", nil, 7); err == nil {
		t.Error("a hash of 7 digits was made")
	}
	if _, err := (gitobject.Files{}).Write(filepath.Join(dir, "none"), "blob", nil, 40); err == nil {
		t.Error("it was written where there is no folder")
	}
	empty := fmt.Sprintf("%x", sha1.Sum([]byte("blob 0\x00")))
	if err := os.WriteFile(filepath.Join(dir, empty[:2]), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (gitobject.Files{}).Write(dir, "blob", nil, 40); err == nil {
		t.Error("it was written below a file")
	}
}
