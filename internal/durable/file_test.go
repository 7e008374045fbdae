package durable_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

func TestWriteFileReplacesWholeOrNotAtAll(t *testing.T) {
	begin := func() *faultfs.FS {
		f := project()
		f.WriteFile("/p/.claude/settings.json", []byte("old"))
		return f
	}
	f := begin()
	must(t, setFile(storeOn(f, roomy), ".claude/settings.json", []byte("new!")))
	points := 0
	for n := 1; n <= f.Ops(); n++ {
		for _, how := range append(crashes, faultfs.Errno(syscall.EIO), faultfs.Errno(syscall.ENOSPC), faultfs.ShortWrite) {
			f := begin()
			f.Fail(n, how)
			err := setFile(storeOn(f, roomy), ".claude/settings.json", []byte("new!"))
			for _, mode := range faultfs.Modes() {
				points++
				got := string(f.AfterPowerCut(mode).Files()["/p/.claude/settings.json"])
				if got != "old" && got != "new!" || err == nil && got != "new!" {
					t.Fatalf("%v at %d, %v: %q after %v\n%s", how, n, mode, got, err, tail(f))
				}
			}
			crashed := how == faultfs.Crash || how == faultfs.CrashAfter
			if got := string(f.Files()["/p/.claude/settings.json"]); err != nil && !crashed && got != "old" && !said(err) {
				t.Fatalf("%v at %d: %q after %v", how, n, got, err)
			}
		}
	}
	t.Logf("%d operations, %d points", f.Ops(), points)
}

func TestWriteFileInAFolderThatIsNewLasts(t *testing.T) {
	f := project()
	must(t, setFile(storeOn(f, roomy), ".claude/settings.json", []byte("new")))
	if got := string(f.AfterPowerCut(faultfs.DropAll).Files()["/p/.claude/settings.json"]); got != "new" {
		t.Errorf("found %q", got)
	}
}

func TestWriteFileKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	root := t.TempDir()
	s := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: clock})
	for _, perm := range []fs.FileMode{0o600, 0o644, 0o666, 0o755, 0o640} {
		path := filepath.Join(root, "settings.json")
		must(t, os.WriteFile(path, []byte("old"), 0o600))
		must(t, os.Chmod(path, perm))
		must(t, os.WriteFile(path+".tmp", []byte("left by a crash"), 0o600))
		must(t, setFile(s, "settings.json", []byte("new")))
		info, err := os.Stat(path)
		must(t, err)
		if text, _ := os.ReadFile(path); info.Mode().Perm() != perm || string(text) != "new" {
			t.Errorf("%v became %v, %q", perm, info.Mode(), text)
		}
	}
	must(t, setFile(s, "fresh.json", nil))
	info, err := os.Stat(filepath.Join(root, "fresh.json"))
	must(t, err)
	if info.Mode().Perm() != 0o644 {
		t.Errorf("a new file has %v", info.Mode())
	}
}

func TestStateIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	root := t.TempDir()
	s := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: clock})
	d := durable.Open(s, "drive.json", kind)
	update(t, d, step)
	_, _, err := s.Acquire("main", durable.Process{PID: 1}, nil)
	must(t, err)
	for name, want := range map[string]fs.FileMode{
		"drive.json": 0o600, "state": 0o700, "state/events.jsonl": 0o600, "locks": 0o700, "locks/main.lock": 0o600, ".warp-drive.lock": 0o600,
	} {
		info, err := os.Stat(filepath.Join(s.Dir(), name))
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestWriteFileRefusesWhatIsNoFile(t *testing.T) {
	f := project()
	f.Symlink("/p/readme", "/p/link")
	f.WriteFile("/p/folder/x", nil)
	s := storeOn(f, roomy)
	mentions(t, setFile(s, "link", []byte("x")), "/p/link", "a symbolic link, not a file")
	mentions(t, setFile(s, "folder", []byte("x")), "/p/folder", "a folder, not a file")
	if string(f.Files()["/p/readme"]) != "a project\n" {
		t.Error("the link was followed")
	}
}

func TestReadFile(t *testing.T) {
	f := project()
	f.Symlink("/p/readme", "/p/link")
	s := storeOn(f, roomy)
	for name, want := range map[string]string{"readme": "a project\n", "absent": "", ".claude/absent": ""} {
		if text, err := s.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	_, err := s.ReadFile("link")
	mentions(t, err, "a symbolic link")
	f.Fail(f.Ops()+1, faultfs.Errno(syscall.EACCES))
	_, err = s.ReadFile("readme")
	mentions(t, err, "readme", "permission denied")
}

// A pipe in the file's place must not be opened: that would wait for ever.
func TestASpecialFileIsNotOpened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such files")
	}
	s := durable.New(durable.Config{Dir: "/dev", Now: clock})
	_, err := durable.Open(s, "null", kind).Read()
	mentions(t, err, "a special file, not a file")
	if !strings.Contains(err.Error(), "null") {
		t.Error(err)
	}
}

func setFile(s *durable.Store, path string, data []byte) error {
	return s.EditFile(path, func([]byte) ([]byte, error) { return data, nil })
}

func TestEditFileSeesWhatTheOthersWrote(t *testing.T) {
	s := storeOn(faultfs.New(), roomy)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := s.EditFile("notes", func(text []byte) ([]byte, error) { return append(text, 'x'), nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if text, err := s.ReadFile("notes"); err != nil || len(text) != 20 {
		t.Errorf("%q %v", text, err)
	}
}
