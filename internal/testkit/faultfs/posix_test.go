package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is the fixture of the error tests: a file, a folder with a file, an
// empty folder, and links to a file, to a folder, to nothing and to itself.
func tree() *FS {
	f := New()
	f.WriteFile("/file", []byte("12345"))
	f.WriteFile("/full/x", nil)
	f.WriteFile("/empty/x", nil)
	if f.Remove("/empty/x") != nil || f.SyncDir("/empty") != nil {
		panic("the fixture is broken")
	}
	f.Symlink("file", "/tofile")
	f.Symlink("/full", "/tofull")
	f.Symlink("nowhere", "/dangling")
	f.Symlink("loop", "/loop")
	f.Symlink("../full/../tofull", "/empty/up")
	return f
}

func TestErrors(t *testing.T) {
	opening := func(name string, flag int) func(*FS) error {
		return func(f *FS) error {
			_, err := f.Open(name, flag, 0o600)
			return err
		}
	}
	tests := []struct {
		name string
		run  func(f *FS) error
		want syscall.Errno
	}{
		{"open missing", opening("/no", os.O_RDWR), syscall.ENOENT},
		{"open below missing", opening("/no/x", replace), syscall.ENOENT},
		{"open below file", opening("/file/x", replace), syscall.ENOTDIR},
		{"open file as folder", opening("/file/", os.O_RDONLY), syscall.ENOTDIR},
		{"open existing exclusively", opening("/file", replace|os.O_EXCL), syscall.EEXIST},
		{"open link exclusively", opening("/dangling", replace|os.O_EXCL), syscall.EEXIST},
		{"open link", opening("/tofile", os.O_RDONLY), syscall.ELOOP},
		{"open dangling link", opening("/dangling", replace), syscall.ELOOP},
		{"open link to folder", opening("/tofull", os.O_RDONLY), syscall.ELOOP},
		{"open through loop", opening("/loop/x", os.O_RDONLY), syscall.ELOOP},
		{"open folder for writing", opening("/full", os.O_RDWR), syscall.EISDIR},
		{"open folder, create", opening("/full", os.O_CREATE), syscall.EISDIR},
		{"open truncating for reading", opening("/file", os.O_TRUNC), syscall.EINVAL},
		{"open relative", opening("file", os.O_RDONLY), syscall.EINVAL},
		{"open empty", opening("", os.O_RDONLY), syscall.ENOENT},
		{"open with NUL", opening("/a\x00b", os.O_RDONLY), syscall.EINVAL},
		{"open long", opening("/"+strings.Repeat("n", 256), replace), syscall.ENAMETOOLONG},
		{"lstat missing", func(f *FS) error { _, err := f.Lstat("/no"); return err }, syscall.ENOENT},
		{"readdir missing", func(f *FS) error { _, err := f.ReadDir("/no"); return err }, syscall.ENOENT},
		{"readdir file", func(f *FS) error { _, err := f.ReadDir("/file"); return err }, syscall.ENOTDIR},
		{"mkdir over file", func(f *FS) error { return f.MkdirAll("/file", 0o700) }, syscall.ENOTDIR},
		{"mkdir below file", func(f *FS) error { return f.MkdirAll("/file/x", 0o700) }, syscall.ENOTDIR},
		{"mkdir over dangling link", func(f *FS) error { return f.MkdirAll("/dangling", 0o700) }, syscall.EEXIST},
		{"mkdir over looping link", func(f *FS) error { return f.MkdirAll("/loop", 0o700) }, syscall.EEXIST},
		{"mkdir relative", func(f *FS) error { return f.MkdirAll("x", 0o700) }, syscall.EINVAL},
		{"rename missing", func(f *FS) error { return f.Rename("/no", "/x") }, syscall.ENOENT},
		{"rename to missing folder", func(f *FS) error { return f.Rename("/file", "/no/x") }, syscall.ENOENT},
		{"rename missing to below file", func(f *FS) error { return f.Rename("/no", "/file/x") }, syscall.ENOTDIR},
		{"rename file over folder", func(f *FS) error { return f.Rename("/file", "/empty") }, syscall.EEXIST},
		{"rename folder over folder", func(f *FS) error { return f.Rename("/full", "/empty") }, syscall.EEXIST},
		{"rename folder over itself", func(f *FS) error { return f.Rename("/full", "/full") }, syscall.EEXIST},
		{"rename folder over file", func(f *FS) error { return f.Rename("/full", "/file") }, syscall.ENOTDIR},
		{"rename folder into itself", func(f *FS) error { return f.Rename("/full", "/full/y") }, syscall.EINVAL},
		{"rename folder over file in itself", func(f *FS) error { return f.Rename("/full", "/full/x") }, syscall.EINVAL},
		{"rename root", func(f *FS) error { return f.Rename("/", "/x") }, syscall.EBUSY},
		{"remove missing", func(f *FS) error { return f.Remove("/no") }, syscall.ENOENT},
		{"remove full folder", func(f *FS) error { return f.Remove("/full") }, syscall.ENOTEMPTY},
		{"remove root", func(f *FS) error { return f.Remove("/") }, syscall.EBUSY},
		{"syncdir missing", func(f *FS) error { return f.SyncDir("/no") }, syscall.ENOENT},
		{"syncdir file", func(f *FS) error { return f.SyncDir("/file") }, syscall.ENOTDIR},
		{"lock link", func(f *FS) error { _, err := f.Lock("/dangling"); return err }, syscall.ELOOP},
		{"lock folder", func(f *FS) error { _, err := f.Lock("/full"); return err }, syscall.EISDIR},
		{"lock below missing", func(f *FS) error { _, err := f.Lock("/no/x"); return err }, syscall.ENOENT},
	}
	before := tree().Files()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := tree()
			err := test.run(f)
			// An empty name has no path to report.
			if test.name != "open empty" {
				is(t, err, test.want)
			} else if !errors.Is(err, test.want) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, f.Files()); diff != "" {
				t.Fatalf("changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestErrorKinds(t *testing.T) {
	f := tree()
	_, err := f.Open("/no", os.O_RDONLY, 0)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not ErrNotExist", err)
	}
	_, err = f.Open("/file", replace|os.O_EXCL, 0)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v is not ErrExist", err)
	}
}

func TestLinksOnTheWayAreFollowed(t *testing.T) {
	f := tree()
	write(t, f, "/tofull/new", replace, "1", false)
	write(t, f, "/empty/up/more", replace, "2", false)
	must(t, f.MkdirAll("/tofull/deep/er", 0o700))
	must(t, f.MkdirAll("/tofull", 0o700))
	must(t, f.SyncDir("/tofull"))
	for name, want := range map[string]string{
		"/full": "deep more new x", "/tofull": "deep more new x", "/tofull/deep": "er",
		"/tofull/../empty": "up", "/": "dangling empty file full loop tofile tofull",
	} {
		if got := names(t, f, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	must(t, f.Rename("/full", "/tofull/../full"))
	must(t, f.Rename("/tofile", "/tofile"))
	must(t, f.Rename("/tofile", "/moved"))
	must(t, f.Remove("/dangling"))
	info, err := f.Lstat("/moved")
	must(t, err)
	if info.Mode().Type() != fs.ModeSymlink || info.Name() != "moved" || info.Size() != 4 {
		t.Errorf("got %v", fs.FormatFileInfo(info))
	}
}

func names(t *testing.T, f *FS, name string) string {
	t.Helper()
	list, err := f.ReadDir(name)
	must(t, err)
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func TestFolderHandle(t *testing.T) {
	f := tree()
	d := open(t, f, "/full", os.O_RDONLY)
	_, err := d.Read(make([]byte, 1))
	is(t, err, syscall.EISDIR)
	info, err := d.Stat()
	must(t, err)
	if !info.IsDir() || info.Sys() != nil {
		t.Errorf("got %v", info)
	}
	write(t, f, "/full/new", replace, "1", true)
	must(t, d.Sync())
	if got, err := io.ReadAll(open(t, f.AfterPowerCut(DropAll), "/full/new", os.O_RDONLY)); string(got) != "1" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
