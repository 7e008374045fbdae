package recovery

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
)

// anew deletes the branch of a drive, everywhere, and makes another of its name
// with a commit of a person.
func (m *machine) anew(name, text string) (theirs string) {
	m.t.Helper()
	m.git("push", "-q", "origin", ":"+feature)
	m.git("switch", "-q", "main")
	m.git("branch", "-q", "-D", feature)
	m.git("switch", "-q", "-c", feature)
	m.write(name, text)
	return m.commit("feat: theirs")
}

// scratch are the folders in which commits are picked; none may stay.
func (m *machine) scratch() []string {
	m.t.Helper()
	dirs, err := filepath.Glob(m.at + "/.claude/worktrees/test-recover-*")
	m.ok(err)
	return dirs
}

// Recorded commits that the branch lacks are picked onto it. What it had stays
// below them, and the journal knows which commit each was made from.
func TestRecordedCommitsArePicked(t *testing.T) {
	m := newMachine(t)
	commits := m.half(false)
	theirs := m.anew("theirs.txt", "theirs\n")
	m.write(".claude/worktrees/test-recover-"+text.Hash(commits[0])+"/left", "by a crash\n")
	res, err := m.open().Run(t.Context(), Options{Issue: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(commits, res.Picked); diff != "" {
		t.Error(diff)
	}
	if got := m.git("rev-parse", "HEAD~2"); got != theirs {
		t.Errorf("below the picked commits is %s, want %s", got, theirs)
	}
	if files := m.git("ls-files", "*.txt"); !strings.Contains(files, "theirs.txt") || !strings.Contains(files, "ac-06.txt") {
		t.Errorf("files: %s", files)
	}
	v, err := m.driveIn(m.at).Read()
	m.ok(err)
	if diff := cmp.Diff([]string{m.git("rev-parse", "HEAD^"), m.git("rev-parse", "HEAD")}, v.State.CommitHashes); diff != "" {
		t.Error(diff)
	}
	book := m.open().book // the new commits stand for the old ones
	if len(book.Commits) != 2 || book.Commits[1].Row.Hash != m.git("rev-parse", "HEAD") || book.Commits[1].Row.Was != commits[1] {
		t.Errorf("%+v", book.Commits)
	}
	if left := m.scratch(); len(left) > 0 || strings.Count(m.git("worktree", "list"), "\n") > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A commit whose changes are on the branch already, in other words, is left out.
func TestACommitThatIsThereInOtherWordsIsSkipped(t *testing.T) {
	m := newMachine(t)
	commits := m.half(false)
	m.anew("ac-01.txt", "AC-01\n")
	m.write("ac-02.txt", "AC-02\n")
	m.write("ac-03.txt", "AC-03\n")
	m.commit("feat: the first chunk by hand")
	res, err := m.open().Run(t.Context(), Options{Issue: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(commits[1:], res.Picked); diff != "" {
		t.Error(diff)
	}
	if subjects := m.git("log", "--format=%s", "main.."); subjects != "feat: Things (#1)\nfeat: the first chunk by hand\nfeat: theirs" {
		t.Errorf("%s", subjects)
	}
}

// Where a commit cannot be picked, nothing is changed: it must not be missing
// from a branch that is said to be whole.
func TestACommitThatCannotBePickedIsNotLeftOut(t *testing.T) {
	for _, c := range []struct {
		name  string
		lose  func(m *machine, commits []string)
		words string
	}{
		{"a conflict", func(m *machine, _ []string) { m.anew("ac-04.txt", "theirs\n") }, "it conflicts with the branch in ac-04.txt; nothing was changed"},
		{"git cannot sign it", func(m *machine, _ []string) {
			m.anew("theirs.txt", "theirs\n")
			m.git("config", "commit.gpgSign", "true")
			m.git("config", "gpg.program", "false")
		}, "picking the commit"},
		{"a merge", func(m *machine, commits []string) {
			m.git("switch", "-q", "-c", "side", "main")
			m.write("side.txt", "side\n")
			m.commit("feat: side")
			m.git("switch", "-q", feature)
			m.git("merge", "-q", "--no-ff", "-m", message(1, 3, began), "side")
			merge := m.git("rev-parse", "HEAD")
			m.state(m.at, "1", feature, append(commits, merge)...)
			m.git("reset", "-q", "--hard", "HEAD^")
		}, "picking the commit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			c.lose(m, m.half(false))
			before := m.everything()
			_, err := m.open().Run(t.Context(), Options{Issue: "1"})
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("want %q, got %v", c.words, err)
			}
			if diff := cmp.Diff(before, m.everything()); diff != "" {
				t.Errorf("something was changed:\n%s", diff)
			}
			if left := m.scratch(); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// lost removes the second commit of a drive from everywhere.
func (m *machine) lost(commits []string) {
	m.t.Helper()
	m.git("push", "-q", "--force", "origin", commits[0]+":refs/heads/"+feature)
	m.git("reset", "-q", "--hard", commits[0])
	m.collect()
}

// collect removes what no reference stands for, here and on the remote.
func (m *machine) collect() {
	m.t.Helper()
	m.git("reflog", "expire", "--expire=now", "--all")
	m.git("gc", "-q", "--prune=now")
	if out, err := m.gitIn(m.dir+"/remote.git", "gc", "-q", "--prune=now"); err != nil {
		m.t.Fatal(out)
	}
}

// Commits that are nowhere are named. With Redo their criteria come again, at
// the end, and only theirs.
func TestCommitsThatAreNowhereAreSaid(t *testing.T) {
	m := newMachine(t)
	commits := m.half(false)
	m.lost(commits)
	before := m.everything()
	_, err := m.open().Run(t.Context(), Options{Issue: "1"})
	var lost *lostError
	if !errors.As(err, &lost) || !cmp.Equal(lost.Commits, commits[1:]) || !strings.Contains(err.Error(), text.Hash(commits[1])) {
		t.Fatalf("%v", err)
	}
	if diff := cmp.Diff(before, m.everything()); diff != "" {
		t.Errorf("something was changed:\n%s", diff)
	}
	res, err := m.open().Run(t.Context(), Options{Issue: "1", Redo: true})
	if err != nil {
		t.Fatal(err)
	}
	want := back{drivestate.Reporting, 1, [][]string{criteriaOf(1), criteriaOf(2), criteriaOf(3)}, commits[0], "ac-01.txt\nac-02.txt\nac-03.txt"}
	if diff := cmp.Diff(want, m.look(res)); diff != "" {
		t.Error(diff)
	}
}

// Without a branch, and with no commit left of any, a drive begins again.
func TestEverythingThatWasCommittedIsDoneAgain(t *testing.T) {
	m := newMachine(t)
	commits := m.half(false)
	m.git("switch", "-q", "main")
	m.git("branch", "-q", "-D", feature)
	m.git("push", "-q", "origin", ":"+feature)
	m.collect()
	_, err := m.open().Run(t.Context(), Options{Issue: "1"})
	var lost *lostError
	if !errors.As(err, &lost) || !cmp.Equal(lost.Commits, commits) {
		t.Fatalf("%v", err)
	}
	res, err := m.open().Run(t.Context(), Options{Issue: "1", Redo: true})
	if err != nil || res.Commit != "" || res.Root != m.at {
		t.Fatalf("%+v, %v", res, err)
	}
	if v, err := m.driveIn(m.at).Read(); err != nil || v.State.Phase != drivestate.Discovering || v.State.Chunk.Total != 0 || len(v.State.CommitHashes) != 0 {
		t.Errorf("%+v, %v", v.State, err)
	}
}
