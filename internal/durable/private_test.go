package durable_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// What is made under .claude/state is for the user alone; what people share is
// not.
func TestWhatHoldsStateIsMadePrivate(t *testing.T) {
	f := project()
	s := storeOn(f, 0)
	text := func([]byte) ([]byte, error) { return []byte("x"), nil }
	must(t, s.EditFile(".claude/settings.local.json", text))
	must(t, s.EditFile(".claude/state/agents/results/a.json", text))
	must(t, s.EditFile(".claude/commands/deep/x.md", text))
	must(t, s.EditFile(".claude/statement/x", text)) // only its name begins so
	nested := durable.Open(s, "state/session/current.json", kind)
	if _, err := nested.Update(step); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		"state": 0o700, "state/agents": 0o700, "state/agents/results": 0o700, "state/agents/results/a.json": 0o600,
		"state/session": 0o700, "state/session/current.json": 0o600, "state/events.jsonl": 0o600,
		"settings.local.json": 0o644, "commands": 0o755, "commands/deep": 0o755, "commands/deep/x.md": 0o644,
		"statement": 0o755, "statement/x": 0o644,
	} {
		info, err := f.Lstat(home + "/" + name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

// A link in place of a folder could lead a write anywhere.
func TestAFileIsNotWrittenIntoALinkedFolder(t *testing.T) {
	for _, link := range []string{"state/agents", "state/agents/results"} {
		f := project()
		f.WriteFile("/elsewhere/x", []byte("x"))
		f.WriteFile(home+"/"+filepath.Dir(link)+"/y", []byte("y"))
		f.Symlink("/elsewhere", home+"/"+link)
		s := storeOn(f, 0)
		err := s.EditFile(".claude/state/agents/results/a.json", func([]byte) ([]byte, error) { return []byte("x"), nil })
		if err == nil || !strings.Contains(err.Error(), "not a folder") {
			t.Errorf("%s is a link: %v", link, err)
		}
		if _, err := durable.Open(s, link+"/doc.json", kind).Update(step); err == nil {
			t.Errorf("%s is a link, and a document goes there", link)
		}
		for _, name := range []string{"/elsewhere/a.json", "/elsewhere/results", "/elsewhere/doc.json"} {
			if _, err := f.Lstat(name); err == nil {
				t.Errorf("%s was written through the link %s", name, link)
			}
		}
	}
}

func TestAFileWhereAFolderIsWantedIsRefused(t *testing.T) {
	f := project()
	f.WriteFile(home+"/state/agents", []byte("x"))
	err := storeOn(f, 0).EditFile(".claude/state/agents/a.json", func([]byte) ([]byte, error) { return []byte("x"), nil })
	if err == nil {
		t.Error("written")
	}
}

func TestRemovingAFileTakesThatOneOnly(t *testing.T) {
	f := project()
	s := storeOn(f, 0)
	must(t, s.RemoveFile(".claude/state/a/one.json")) // there is no store, and none is made
	if _, err := f.Lstat(home); err == nil {
		t.Error("removing made a store")
	}
	for _, name := range []string{"one.json", "two.json"} {
		f.WriteFile(home+"/state/a/"+name, []byte("x"))
	}
	must(t, s.RemoveFile(".claude/state/a/one.json"))
	must(t, s.RemoveFile(".claude/state/a/one.json"))
	names, err := s.List(".claude/state/a")
	if err != nil || len(names) != 1 || names[0] != "two.json" {
		t.Errorf("left %v, %v", names, err)
	}
	if err := s.RemoveFile(".claude/state/a"); err == nil {
		t.Error("a folder with something in it was removed without a word")
	}
}

func TestOnlyRegularFilesAreListedInOrder(t *testing.T) {
	f := project()
	for _, name := range []string{"b.json", "a.json", "folder/c.json"} {
		f.WriteFile(home+"/state/a/"+name, []byte("x"))
	}
	f.Symlink("b.json", home+"/state/a/link.json")
	s := storeOn(f, 0)
	if names, err := s.List(".claude/state/a"); err != nil || strings.Join(names, " ") != "a.json b.json" {
		t.Errorf("listed %v, %v", names, err)
	}
	if names, err := s.List(".claude/state/none"); err != nil || names != nil {
		t.Errorf("no such folder: %v, %v", names, err)
	}
}

// A change that fails half-way leaves no half-written file beside the document.
func TestAFailedChangeLeavesNoDebris(t *testing.T) {
	dry := project()
	doc := docOn(dry, 0)
	_, err := doc.Update(step)
	must(t, err)
	from := dry.Ops()
	_, err = doc.Update(step)
	must(t, err)
	for n := from + 1; n <= dry.Ops(); n++ {
		f := project()
		doc := docOn(f, 0)
		_, err := doc.Update(step)
		must(t, err)
		f.Fail(n, faultfs.Errno(syscall.EIO))
		_, err = doc.Update(step)
		if err == nil || !strings.Contains(err.Error(), "nothing was changed") {
			continue
		}
		entries, err := f.ReadDir(home)
		must(t, err)
		for _, e := range entries {
			if strings.Contains(e.Name(), "drive.json") && e.Name() != "drive.json" && !strings.Contains(dry.Trace()[n-1], "Remove") {
				t.Errorf("%s failed and left %s", dry.Trace()[n-1], e.Name())
			}
		}
	}
}

// A change that is in the journal is durable: that its folder could not be
// synced is a note and no failure. The first one has nothing to fall back on.
func TestAFolderThatCannotBeSyncedIsANoteOnceTheJournalKnows(t *testing.T) {
	dry := project()
	doc := docOn(dry, 0)
	_, err := doc.Update(step)
	must(t, err)
	first := dry.Ops()
	_, err = doc.Update(step)
	must(t, err)
	second := dry.Ops()
	run := func(fail int) ([]string, error) {
		f := project()
		f.Fail(fail, faultfs.Errno(syscall.EIO))
		doc := docOn(f, 0)
		notes, err := doc.Update(step)
		if fail > first && err == nil {
			notes, err = doc.Update(step)
		}
		return notes, err
	}
	lastSync := func(upTo int) int {
		for n := upTo; n > 0; n-- {
			if strings.HasPrefix(dry.Trace()[n-1], "syncdir") {
				return n
			}
		}
		t.Fatal("no folder is synced")
		return 0
	}
	notes, err := run(lastSync(second))
	if err != nil || !strings.Contains(strings.Join(notes, "\n"), "the journal has the change") {
		t.Errorf("the second change: %q, %v", notes, err)
	}
	if notes, err := run(lastSync(first)); err == nil || !strings.Contains(err.Error(), "a power cut may undo it") {
		t.Errorf("the first change: %q, %v", notes, err)
	}
}

func TestAFileInFoldersThatAreNewLasts(t *testing.T) {
	f := project()
	must(t, setFile(storeOn(f, roomy), ".claude/state/agents/results/a.json", []byte("new")))
	if got := string(f.AfterPowerCut(faultfs.DropAll).Files()[home+"/state/agents/results/a.json"]); got != "new" {
		t.Errorf("found %q", got)
	}
}
