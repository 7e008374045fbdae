package recovery

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// Commits that are only on the remote, on a machine that has never seen the
// drive: its journal knows them afterwards, once.
func TestADriveIsBroughtToAnotherMachine(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
	}{{"named", Options{Issue: "1", Level: 3}}, {"the only one", Options{Level: 2}}, {"into a work tree of its own", Options{Issue: "1", Level: 3, Apart: true}}} {
		t.Run(c.name, func(t *testing.T) {
			a := newMachine(t)
			commits := a.half(false)
			b := a.another()
			res, err := b.open().Run(t.Context(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			want := back{drivestate.Reporting, 2, [][]string{criteriaOf(1), criteriaOf(2), criteriaOf(3)}, commits[1], "ac-01.txt\nac-02.txt\nac-03.txt\nac-04.txt\nac-05.txt\nac-06.txt"}
			if diff := cmp.Diff(want, b.look(res)); diff != "" {
				t.Error(diff)
			}
			if res.Issue != "1" || (res.Root == b.apart()) != c.o.Apart {
				t.Errorf("%+v", res)
			}
			for range 2 { // the second time, with the state lost again
				var hashes []string
				for _, e := range b.open().book.Commits {
					hashes = append(hashes, e.Row.Hash)
				}
				if !slices.Equal(hashes, commits) {
					t.Errorf("the journal has %q, want %q", hashes, commits)
				}
				b.lose(filepath.Join(res.Root, ".claude", ".warp-drive-state.json"))
				if _, err := b.open().Run(t.Context(), c.o); err != nil {
					t.Fatal(err)
				}
			}
			if v, err := b.driveIn(res.Root).Read(); err != nil || v.State.Session.Level != c.o.Level {
				t.Errorf("%+v, %v", v.State.Session, err)
			}
		})
	}
}

// Another machine went on with the drive since: what the state here says about
// the session before, such as a chunk that was given up, is no longer so.
func TestANewerSessionOfAnotherMachineCounts(t *testing.T) {
	m := newMachine(t)
	m.git("switch", "-q", "-c", feature)
	first := m.chunk(m.at, 1)
	_, err := m.driveIn(m.at).Recover(t.Context(), turnstile.Recovered{Issue: "1", Branch: feature, Level: 3, Epoch: began.UnixMilli(), Phase: drivestate.ChunkComplete,
		Chunks: [][]string{criteriaOf(1), criteriaOf(2), criteriaOf(3)}, Index: 1, Skipped: []int{3}, Commits: []string{first}})
	m.ok(err)
	second := m.chunkOn(feature, 1, 2, began.Add(time.Minute))
	m.git("push", "-q", "origin", feature)
	m.git("branch", "-q", "-D", feature)
	res, err := m.open().Run(t.Context(), Options{Issue: "1"})
	if err != nil || res.Commit != second {
		t.Fatalf("%+v, %v", res, err)
	}
	v, err := m.driveIn(m.at).Read()
	m.ok(err)
	if s := v.State; s.Session.StartedAtEpoch != began.Add(time.Minute).UnixMilli() || len(s.Chunk.Skipped) != 0 || !slices.Equal(s.Chunk.DoneBefore, criteriaOf(1)) {
		t.Errorf("%+v, %+v", s.Session, s.Chunk)
	}
}

// Commits of an earlier session, which the journal still has, are not asked for:
// what they were is merged, or was given up.
func TestAnEarlierSessionsCommitsAreNotMissed(t *testing.T) {
	m := newMachine(t)
	now := m.clock
	m.clock = began.Add(-time.Hour)
	m.journal(strings.Repeat("1", 40))
	m.clock = now
	m.git("switch", "-q", "-c", feature)
	m.journal(m.chunk(m.at, 1))
	res, err := m.open().Run(t.Context(), Options{Issue: "1", Level: 3})
	if err != nil || res.Done != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A drive that was lost while it merged: the merge target has all of its commits,
// which are no less its own for it.
func TestADriveThatIsMergedAlreadyIsBroughtBack(t *testing.T) {
	m := newMachine(t)
	commits := m.half(false)
	commits = append(commits, m.chunk(m.at, 3))
	m.git("push", "-q", "origin", feature, feature+":main")
	b := m.another()
	res, err := b.open().Run(t.Context(), Options{Issue: "1", Level: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.look(res); got.Index != 3 || got.Phase != drivestate.Reporting || got.Tip != commits[2] || res.Done != 3 || res.Total != 3 {
		t.Errorf("%+v, %+v", got, res)
	}
	if v, err := b.driveIn(b.at).Read(); err != nil || !slices.Equal(v.State.CommitHashes, commits) {
		t.Errorf("%q, %v", v.State.CommitHashes, err)
	}
}

// A session inside an agent leaves no marks in its commits: which chunks are done
// is in its state alone, and stays there.
func TestADriveWithoutMarksIsBroughtBackByItsState(t *testing.T) {
	m := newMachine(t)
	m.git("switch", "-q", "-c", feature)
	m.write("ac-01.txt", "AC-01\n")
	commits := []string{m.commit("feat: things, by an agent")}
	m.write("ac-04.txt", "AC-04\n")
	commits = append(commits, m.commit("feat: more things, by an agent"))
	m.state(m.at, "1", feature, commits...)
	m.git("switch", "-q", "main")
	m.git("branch", "-q", "-D", feature)
	res, err := m.open().Run(t.Context(), Options{Issue: "1"})
	if err != nil {
		t.Fatal(err)
	}
	want := back{drivestate.Reporting, 2, [][]string{criteriaOf(1), criteriaOf(2), criteriaOf(3)}, commits[1], "ac-01.txt\nac-04.txt"}
	if diff := cmp.Diff(want, m.look(res)); diff != "" {
		t.Error(diff)
	}
	if v, err := m.driveIn(m.at).Read(); err != nil || !slices.Equal(v.State.CommitHashes, commits) {
		t.Errorf("%q, %v", v.State.CommitHashes, err)
	}
}

// A drive of which nothing was committed begins again; that it was taken up is
// known by a comment of the user whom warp works for, of no other.
func TestADriveWithoutCommitsBeginsAgain(t *testing.T) {
	for _, c := range []struct {
		name, comment string
		me            string
		want          bool
	}{
		{"mine", fmt.Sprintf("<!-- warp-drive taken #1 %d -->", began.UnixMilli()), "u", true},
		{"of another user", fmt.Sprintf("<!-- warp-drive taken #1 %d -->", began.UnixMilli()), "mallory", false},
		{"from the future", fmt.Sprintf("<!-- warp-drive taken #1 %d -->", began.AddDate(1, 0, 0).UnixMilli()), "u", false},
		{"about another issue", fmt.Sprintf("<!-- warp-drive taken #11 %d -->", began.UnixMilli()), "u", false},
		{"no number", "<!-- warp-drive taken #1 now -->", "u", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.ok(m.tracker.Comment(t.Context(), 1, forge.NewComment{Body: c.comment}))
			m.tracker = faulty{Tracker: m.tracker, user: c.me}
			res, err := m.open().Run(t.Context(), Options{Issue: "1", Level: 3})
			if !c.want {
				wantNothing(t, err, "no commits and no record of a drive of #1 are left")
				if _, err := os.Lstat(m.at + "/.claude/.warp-drive-state.json"); err == nil {
					t.Error("a state was written")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			v, err := m.driveIn(m.at).Read()
			m.ok(err)
			if v.State.Phase != drivestate.Discovering || v.State.Session.StartedAtEpoch != began.UnixMilli() || v.State.BranchName() != "" || res.Total != 0 {
				t.Errorf("%+v, %+v", v.State, res)
			}
		})
	}
}
