package recovery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/engine/forge"
)

// chunkOn commits a chunk of any requirement onto a branch, which is made at
// main.
func (m *machine) chunkOn(branch string, issue, chunk int, session time.Time) string {
	m.t.Helper()
	if _, err := m.gitIn(m.at, "switch", "-q", branch); err != nil {
		m.git("switch", "-q", "-c", branch, "main")
	}
	m.write(fmt.Sprintf("%d-%d.txt", issue, chunk), "thing\n")
	hash := m.commit(message(issue, chunk, session))
	m.git("switch", "-q", "main")
	return hash
}

// Which branch has the work of an issue is asked only where it cannot be told.
func TestTheBranchOfAnIssueIsChosen(t *testing.T) {
	for _, c := range []struct {
		name  string
		found []Found
		want  string
		asks  string
	}{
		{"none", []Found{{Issue: "2", Branch: "x"}}, "", ""},
		{"one", []Found{{Issue: "1", Branch: "x"}, {Issue: "2", Branch: "y"}}, "x", ""},
		{"the one with the usual name", []Found{{Issue: "1", Branch: "x"}, {Issue: "1", Branch: "feature/issue-1-a"}}, "feature/issue-1-a", ""},
		{"two with unusual names", []Found{{Issue: "1", Branch: "x"}, {Issue: "1", Branch: "y"}}, "", "x, y"},
		{"two with usual names", []Found{{Issue: "1", Branch: "feature/issue-1-a"}, {Issue: "1", Branch: "feature/issue-1-b"}}, "", "feature/issue-1-a, feature/issue-1-b"},
		{"an old one is merged", []Found{{Issue: "1", Branch: "feature/issue-1-a", Merged: true}, {Issue: "1", Branch: "x"}}, "x", ""},
		{"all are merged", []Found{{Issue: "1", Branch: "feature/issue-1-a", Merged: true}, {Issue: "1", Branch: "x", Merged: true}}, "feature/issue-1-a", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := branchOf("1", c.found)
			if got != c.want || (err != nil) != (c.asks != "") || err != nil && !strings.Contains(err.Error(), c.asks+"; choose one with --branch") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// A drive on several branches resumes on the one that a person names.
func TestABranchCanBeNamed(t *testing.T) {
	m := newMachine(t)
	m.chunkOn("x", 1, 1, began)
	tip := m.chunkOn("y", 1, 1, began)
	if _, err := m.open().Run(t.Context(), Options{Issue: "1", Level: 3}); err == nil || !strings.Contains(err.Error(), "several branches: x, y") {
		t.Fatalf("%v", err)
	}
	res, err := m.open().Run(t.Context(), Options{Issue: "1", Branch: "y", Level: 3})
	if err != nil || res.Branch != "y" || res.Commit != tip || m.git("branch", "--show-current") != "y" {
		t.Errorf("%+v, %v", res, err)
	}
}

// Without a number, it is the only drive that is lost or unfinished.
func TestTheOnlyDriveIsMeant(t *testing.T) {
	for _, c := range []struct {
		name    string
		lose    func(*machine)
		want    string
		nothing bool
		asks    string
	}{
		{name: "nothing to recover", lose: func(*machine) {}, nothing: true},
		{name: "a branch on the remote", lose: func(m *machine) {
			m.chunkOn(feature, 1, 1, began)
			m.git("push", "-q", "origin", feature)
			m.git("branch", "-q", "-D", feature)
		}, want: "1"},
		{name: "a state that lacks its branch", lose: func(m *machine) { m.state(m.at, "1", feature, m.chunkOn("x", 1, 1, began)); m.git("branch", "-D", "x") }, want: "1"},
		{name: "a state that lacks what its chunk began with", lose: func(m *machine) {
			m.git("switch", "-q", "-c", feature)
			m.write("mine.txt", "mine\n") // the chunk begins with it, and it is in no commit
			m.chunk(m.at, 1)
			m.write("new.txt", "new\n")
			_, err := m.driveIn(m.at).Recover(m.t.Context(), recoveredInCoding())
			m.ok(err)
			m.collect()
		}, want: "1"},
		{name: "a work tree that is gone", lose: func(m *machine) {
			m.chunkOn(feature, 1, 1, began)
			m.git("worktree", "add", "-q", m.apart(), feature)
			m.lose(m.apart())
		}, want: "1"},
		{name: "a drive that is whole", lose: func(m *machine) { m.half(false) }, nothing: true},
		{name: "one that a person stopped", lose: func(m *machine) {
			m.git("switch", "-q", "-c", feature)
			m.write("wip.txt", "half\n")
			m.commit("wip: #1 chunk 1, stopped\n\n" + message(1, 1, began))
		}, nothing: true},
		{name: "two", lose: func(m *machine) { m.chunkOn(feature, 1, 1, began); m.chunkOn("x", 2, 1, began) }, asks: "#1, #2; name one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			c.lose(m)
			got, err := m.open().choose(t.Context(), Options{})
			switch {
			case c.nothing:
				wantNothing(t, err, "nothing to recover")
			case c.asks != "":
				if err == nil || !strings.Contains(err.Error(), c.asks) {
					t.Errorf("%v", err)
				}
			case err != nil || got.issue != c.want || got.branch != feature:
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// What a person has stopped does not resume: with its work in progress as
// the last commit it is in the phase for that, with the note of it filed only
// its branch is brought back.
func TestAStoppedDriveIsOver(t *testing.T) {
	stop := func(m *machine) string {
		m.half(false)
		m.write("ac-07.txt", "half of it\n")
		tip := m.commit("wip: #1 chunk 3, stopped\n\n" + message(1, 3, began))
		m.git("push", "-q", "origin", feature)
		return tip
	}
	t.Run("work in progress", func(t *testing.T) {
		m := newMachine(t)
		tip := stop(m)
		b := m.another()
		res, err := b.open().Run(t.Context(), Options{Issue: "1", Level: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.look(res); got.Phase != drivestate.Aborted || got.Index != 3 || got.Tip != tip || res.Done != 2 {
			t.Errorf("%+v, %+v", got, res)
		}
	})
	t.Run("the note of it is filed", func(t *testing.T) {
		m := newMachine(t)
		tip := stop(m)
		m.file(forge.NewIssue{Title: "Stopped", Labels: []string{"warp-drive"}, Body: fmt.Sprintf("<!-- warp-drive abort #1 %d -->", began.UnixMilli())})
		b := m.another()
		res, err := b.open().Run(t.Context(), Options{Issue: "1", Level: 3})
		if err != nil || !res.Over || res.Commit != tip || b.git("branch", "--show-current") != feature {
			t.Errorf("%+v, %v", res, err)
		}
		if _, err := b.driveIn(b.at).Read(); err == nil {
			t.Error("it has a state")
		}
	})
}

// Chunks that were given up are known by the bugs that were filed about them.
func TestAChunkThatWasGivenUpIsKnown(t *testing.T) {
	m := newMachine(t)
	m.git("switch", "-q", "-c", feature)
	tip := m.chunk(m.at, 1)
	for _, marker := range []string{"bug #1.2 %d", "bug #1.2x %d", "bug #1.5000 %d", "bug #2.3 %d", "report #1.1 %d"} {
		m.file(forge.NewIssue{Title: marker, Labels: []string{"warp-drive"}, Body: "<!-- warp-drive " + fmt.Sprintf(marker, began.UnixMilli()) + " -->"})
	}
	res, err := m.open().Run(t.Context(), Options{Issue: "1", Level: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := back{drivestate.Coding, 3, [][]string{criteriaOf(1), criteriaOf(2), criteriaOf(3)}, tip, "ac-01.txt\nac-02.txt\nac-03.txt"}
	if diff := cmp.Diff(want, m.look(res)); diff != "" {
		t.Error(diff)
	}
	if v, err := m.driveIn(m.at).Read(); err != nil || !cmp.Equal(v.State.Chunk.Skipped, []int{2}) {
		t.Errorf("%v, %v", v.State.Chunk.Skipped, err)
	}
	filed := m.open().book.Filed
	if len(filed) != 1 || filed[0].Row.Chunk != 1 || filed[0].Row.What != "report" {
		t.Errorf("%+v", filed)
	}
}
