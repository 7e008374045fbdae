//go:build linux && (amd64 || arm64)

package ptrace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func TestUnder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		root string
		call Call
		want bool
	}{
		{dir, Call{Path: dir}, true},
		{dir + "/", Call{Path: dir + "/a/b"}, true},
		{dir, Call{Path: "/elsewhere", To: dir + "/a"}, true},
		{dir, Call{Path: dir + "x"}, false},
		{dir, Call{}, false},
		{link, Call{Path: dir + "/a"}, true},
		{link, Call{Path: link + "/a"}, true},
		{"/", Call{Path: "/a"}, true},
	} {
		if got := Under(c.root)(c.call); got != c.want {
			t.Errorf("Under(%q)(%+v) = %v", c.root, c.call, got)
		}
	}
}

func TestFileAndChangeCalls(t *testing.T) {
	open := func(flags uint64) Call { return Call{Nr: unix.SYS_OPENAT, Args: [6]uint64{2: flags}} }
	for _, c := range []struct {
		call         Call
		file, change bool
	}{
		{open(unix.O_RDONLY), true, false},
		{open(unix.O_WRONLY | unix.O_CREAT), true, true},
		{Call{Nr: unix.SYS_RENAMEAT}, true, true},
		{Call{Nr: unix.SYS_READ}, true, false},
		{Call{Nr: unix.SYS_FUTEX}, false, false},
	} {
		if FileCall(c.call) != c.file || ChangeCall(c.call) != c.change {
			t.Errorf("%+v: file %v, change %v", c.call, FileCall(c.call), ChangeCall(c.call))
		}
	}
}

func TestShapesHaveNamesOfTheirOwn(t *testing.T) {
	var names []string
	for nr, s := range shapes {
		if s.name == "" || slices.Contains(names, s.name) {
			t.Errorf("call %d is named %q", nr, s.name)
		}
		names = append(names, s.name)
	}
}

func TestPathsAreAbsolute(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	note := func(c Call) bool {
		if filepath.Base(c.Path) == "file" {
			seen = append(seen, c.Path)
		}
		return true
	}
	res, err := Run([]string{"sh", "-c", "mkdir sub; cd sub; echo text >file; cat <file; rm ./file"}, dir, nil, Fault{Match: note})
	skipIfForbidden(t, err)
	if err != nil || string(res.Stdout) != "text\n" {
		t.Fatalf("stdout %q, stderr %q, error %v", res.Stdout, res.Stderr, err)
	}
	// Descriptors and relative names must come out the same.
	want := filepath.Join(dir, "sub", "file")
	if len(seen) < 4 || slices.ContainsFunc(seen, func(p string) bool { return p != want }) {
		t.Errorf("saw %q, want only %q", seen, want)
	}
}
