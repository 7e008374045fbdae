package faultfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/durable"
)

const (
	replace = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	extend  = os.O_WRONLY | os.O_CREATE | os.O_APPEND
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, f durable.FS, name string, flag int) durable.File {
	t.Helper()
	o, err := f.Open(name, flag, 0o600)
	must(t, err)
	return o
}

// write opens a file, writes, closes, and syncs only what it is told to.
func write(t *testing.T, f durable.FS, name string, flag int, text string, sync bool) {
	t.Helper()
	o := open(t, f, name, flag)
	_, err := o.Write([]byte(text))
	must(t, err)
	if sync {
		must(t, o.Sync())
	}
	must(t, o.Close())
}

// is checks for an *fs.PathError around exactly this errno.
func is(t *testing.T, err error, want syscall.Errno) {
	t.Helper()
	var inPath *fs.PathError
	if !errors.As(err, &inPath) {
		t.Fatalf("got %v (%T), want an *fs.PathError", err, err)
	}
	if inPath.Err != want {
		t.Fatalf("got %v, want %v", err, want)
	}
	if inPath.Op == "" || inPath.Path == "" {
		t.Fatalf("%#v has no operation or no name", inPath)
	}
}

func crashed(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrCrashed) {
		t.Fatalf("got %v, want ErrCrashed", err)
	}
}

// holds compares all files with name, content, name, content…
func holds(t *testing.T, f *FS, pairs ...string) {
	t.Helper()
	want := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		want[pairs[i]] = pairs[i+1]
	}
	got := map[string]string{}
	for name, data := range f.Files() {
		got[name] = string(data)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
}
