package feed_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/testkit/gittest"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// oddFiles put something else in the place of a file that holds a text. None of them may
// be waited for.
func oddFiles(t *testing.T) map[string]func(path, text string) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) { t.Helper(); must(os.WriteFile(path, []byte(text), 0o600)) }
	return map[string]func(path, text string){
		"cut":                 func(path, text string) { write(path, text[:len(text)/2]) },
		"empty":               func(path, _ string) { write(path, "") },
		"binary":              func(path, _ string) { write(path, strings.Repeat("\x00\xff\x1b\n{", 1<<16)) },
		"100 MB of nothing":   func(path, _ string) { write(path, ""); must(os.Truncate(path, 100<<20)) },
		"100 MB behind it":    func(path, text string) { write(path, text); must(os.Truncate(path, 100<<20)) },
		"a link to zeros":     func(path, _ string) { must(os.Symlink("/dev/zero", path)) },
		"a link to itself":    func(path, _ string) { must(os.Symlink(path, path)) },
		"a pipe":              func(path, _ string) { must(exec.Command("mkfifo", path).Run()) },
		"a folder":            func(path, _ string) { must(os.Mkdir(path, 0o700)) },
		"another type":        func(path, _ string) { write(path, `[1,2,{"pid":"many"}]`) },
		"of a later version":  func(path, _ string) { write(path, `{"version":99,"pid":{"host":"x","number":7},"agents":{"a":1}}`) },
		"nested without end":  func(path, _ string) { write(path, strings.Repeat(`{"agents":[`, 1<<16)) },
		"numbers without end": func(path, _ string) { write(path, `{"tokens":1e999999,"pid":`+strings.Repeat("9", 1<<16)+"}") },
	}
}

// Whatever stands where an engine shows what it does, the rest is read.
func TestOddFilesOfEnginesAreNotShown(t *testing.T) {
	for name, put := range oddFiles(t) {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.begin("7", os.Getpid())
			path := filepath.Join(p.drive.Store().Dir(), filepath.FromSlash(livestate.File(drivestate.Lease)))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(livestate.State{PID: os.Getpid(), Doing: "coding"})
			if err != nil {
				t.Fatal(err)
			}
			put(path, string(text))
			if i := only(t, p.read(feed.Open(p.drive, p.env))); i.Live != nil || i.State != feed.Running {
				t.Errorf("%s: %+v", i.State, i.Live)
			}
		})
	}
}

// Whatever stands in the place of a work tree's journal, it is not waited for, and what
// the project itself has is shown.
func TestOddJournalsHideNothingElse(t *testing.T) {
	for name, put := range oddFiles(t) {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			gittest.Sh(t, p.drive.Root(), "git init -q && git config user.name x && git config user.email x && git commit -q --allow-empty -m begin && git worktree add -q ../"+filepath.Base(p.drive.Root())+"-tree")
			p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Role: "code", End: "done"})
			tree := turnstile.Open(p.drive.Root()+"-tree", p.env)
			t.Cleanup(func() { _ = os.RemoveAll(tree.Root()) })
			journal := filepath.Join(tree.Store().Dir(), "state", "events.jsonl")
			if err := os.MkdirAll(filepath.Dir(journal), 0o700); err != nil {
				t.Fatal(err)
			}
			put(journal, fmt.Sprintf(`{"kind":"run","data":{"issue":"8","title":%q}}`+"\n", strings.Repeat("x", 1000)))
			r := feed.Open(p.drive, p.env)
			for range 2 { // as it is, and when it is looked at again
				if i := only(t, p.read(r)); i.Issue != "7" {
					t.Errorf("%+v", i)
				}
			}
		})
	}
}
