//go:build linux

package guard

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"
)

// Guards share the copies of files that are the same for them, and none changes what another
// has.
func TestGuardsShareCopies(t *testing.T) {
	root := t.TempDir()
	one, two, three := newCopies(root, t.TempDir()), newCopies(root, t.TempDir()), newCopies(root, t.TempDir())
	write := func(content string) {
		t.Helper()
		must(t, os.WriteFile(one.live("f"), []byte(content), 0o600))
		untilOld(t, one.live("f"))
	}
	has := func(c *copies, want string, share *copies) {
		t.Helper()
		got, err := os.ReadFile(c.at("f"))
		if must(t, err); string(got) != want {
			t.Errorf("the copy is %q, want %q", got, want)
		}
		if !c.intact("f") {
			t.Error("the copy is not intact")
		}
		if share == nil {
			return
		}
		a, err := os.Stat(c.at("f"))
		must(t, err)
		if b, err := os.Stat(share.at("f")); err != nil || !os.SameFile(a, b) {
			t.Errorf("the copy is not shared: %v", err)
		}
	}
	write("first\n")
	must(t, one.add("f", true))
	must(t, two.add("f", true))
	has(two, "first\n", one)

	write("second, and longer\n")
	must(t, one.add("f", true))
	has(one, "second, and longer\n", nil)
	has(two, "first\n", nil)
	must(t, two.add("f", true))
	has(two, "second, and longer\n", one)

	// What is changed back in size and time is another file.
	at, err := os.Stat(one.live("f"))
	must(t, err)
	write("another, as long!!\n")
	must(t, os.Chtimes(one.live("f"), at.ModTime(), at.ModTime()))
	untilOld(t, one.live("f"))
	four := newCopies(root, t.TempDir())
	must(t, four.add("f", true))
	has(four, "another, as long!!\n", nil)
	write("second, and longer\n")
	must(t, one.add("f", true))
	must(t, two.add("f", true))

	two.clear()
	has(one, "second, and longer\n", nil)

	must(t, os.WriteFile(one.at("f"), []byte("an agent was here\n"), 0o600))
	must(t, three.add("f", true))
	has(three, "second, and longer\n", nil)
	one.clear()
	has(three, "second, and longer\n", nil)
}

// untilOld returns when a file's inode tells whether it is written again.
func untilOld(t *testing.T, file string) {
	t.Helper()
	for {
		info, err := os.Lstat(file)
		must(t, err)
		if stampOf(info, time.Now()).inode != (inode{}) {
			return
		}
	}
}

// What is written again in the moment it was copied may have the time that it had already;
// a time that was set back proves nothing.
func TestAWrittenFileHasAnotherStamp(t *testing.T) {
	c := newCopies(t.TempDir(), t.TempDir())
	write := func(content string) fs.FileInfo {
		t.Helper()
		must(t, os.WriteFile(c.live("f"), []byte(content), 0o600))
		must(t, os.Chtimes(c.live("f"), time.Unix(1, 0), time.Unix(1, 0)))
		untilOld(t, c.live("f"))
		info, err := os.Lstat(c.live("f"))
		must(t, err)
		return info
	}
	was := write("first\n")
	changed := time.Unix(0, inodeOf(was).changed)
	for after, known := range map[time.Duration]bool{0: false, clockStep - 1: false, clockStep: true} {
		if got := stampOf(was, changed.Add(after)).inode != (inode{}); got != known {
			t.Errorf("%v after a file was written its inode is known: %v, want %v", after, got, known)
		}
	}
	must(t, c.add("f", true))
	if c.stamps["f"] != stampOf(was, time.Now()) {
		t.Error("an untouched file has another stamp")
	}
	if c.stamps["f"] == stampOf(write("other\n"), time.Now()) {
		t.Error("a file that was written and set back in time has the stamp that it had")
	}
}

// A process that has mapped a file writes it without changing any of its times.
func TestSettingsThatAreWrittenThroughAMappingArePutBack(t *testing.T) {
	s := newScene(t)
	f, err := os.OpenFile(s.root+"/.claude/settings.json", os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	m, err := syscall.Mmap(int(f.Fd()), 0, 7, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	must(t, err)
	defer func() { must(t, syscall.Munmap(m)) }()
	m[0] = '{'
	untilOld(t, f.Name())
	r, err := s.guard.Before(t.Context(), s.scope())
	must(t, err)
	m[5] = '7'
	_, err = r.After(t.Context())
	must(t, err)
	if have := s.sh("cat .claude/settings.json"); have != "{\"a\":1}\n" || len(s.found) == 0 {
		t.Errorf("there is %q: %v", have, s.found)
	}
}
