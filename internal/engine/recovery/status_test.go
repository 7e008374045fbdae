package recovery

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// Branches with the work of drives, here and on the remote, by number; those of
// people are not among them.
func TestScanFindsTheWorkOfDrives(t *testing.T) {
	m := newMachine(t)
	session := began.UnixMilli()
	ten := m.chunkOn("ten", 10, 1, began)
	first := m.chunkOn("two", 2, 1, began)
	m.git("push", "-q", "origin", "ten", "two")
	second := m.chunkOn("two", 2, 2, began) // not pushed
	merged := m.chunkOn("merged", 3, 1, began)
	m.git("merge", "-q", "--ff-only", "merged")
	rebased := m.chunkOn("rebased", 4, 1, began)
	m.write("between.txt", "between\n")
	m.commit("feat: of a person")
	m.git("cherry-pick", "rebased") // what a drive merges is rebased, and the remote keeps the old one
	m.chunkOn("half", 5, 1, began)
	m.write("again.txt", "again\n")
	m.commit("feat: of a person, again")
	m.git("cherry-pick", "half")
	more := m.chunkOn("half", 5, 2, began) // of this one only the first chunk is merged
	m.git("switch", "-q", "-c", "stopped", "main")
	m.write("wip.txt", "half\n")
	wip := m.commit("wip: #6 chunk 1, stopped\n\n" + message(6, 1, began))
	m.git("switch", "-q", "main")
	m.git("branch", "-D", "ten")
	m.git("switch", "-q", "-c", "people", "main")
	m.write("people.txt", "people\n")
	m.commit("feat: of a person\n\nRefs: #7")

	list, err := Scan(t.Context(), m.open().Tree.Repo(), "origin", "main")
	m.ok(err)
	want := []Found{
		{Issue: "2", Branch: "two", Here: second, There: first, Done: []int{1, 2}, Total: 3, Session: session},
		{Issue: "3", Branch: "merged", Here: merged, Done: []int{1}, Total: 3, Session: session, Merged: true},
		{Issue: "4", Branch: "rebased", Here: rebased, Done: []int{1}, Total: 3, Session: session, Merged: true},
		{Issue: "5", Branch: "half", Here: more, Done: []int{1, 2}, Total: 3, Session: session},
		{Issue: "6", Branch: "stopped", Here: wip, Total: 3, Session: session, Stopped: true},
		{Issue: "10", Branch: "ten", There: ten, Done: []int{1}, Total: 3, Session: session},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	var open []string
	for _, f := range Unfinished(list) {
		open = append(open, f.Issue)
	}
	if diff := cmp.Diff([]string{"2", "5", "10"}, open); diff != "" {
		t.Error(diff)
	}
	status, err := m.open().Status(t.Context(), true) // what is merged is not lost
	m.ok(err)
	if len(status.Found) != 4 {
		t.Errorf("%+v", status.Found)
	}
	alone, err := Scan(t.Context(), m.open().Tree.Repo(), "", "main")
	m.ok(err)
	if len(alone) != 5 || alone[0].There != "" {
		t.Errorf("without a remote: %+v", alone)
	}
}

// The newer session of a branch is the one that counts, wherever it is and
// however little it has committed.
func TestTheNewerSessionOfABranchCounts(t *testing.T) {
	for _, where := range []string{"here", "on the remote"} {
		t.Run(where, func(t *testing.T) {
			m := newMachine(t)
			m.chunkOn(feature, 1, 1, began)
			older := m.chunkOn(feature, 1, 2, began)
			m.git("branch", "-q", "-m", feature, "old")
			newer := m.chunkOn(feature, 1, 2, began.Add(time.Minute))
			here, there := newer, older
			if where == "on the remote" {
				here, there = older, newer
			}
			m.git("push", "-q", "origin", there+":refs/heads/"+feature)
			m.git("branch", "-q", "-f", feature, here)
			m.git("branch", "-q", "-D", "old")
			list, err := Scan(t.Context(), m.open().Tree.Repo(), "origin", "main")
			m.ok(err)
			want := []Found{{Issue: "1", Branch: feature, Here: here, There: there, Done: []int{2}, Total: 3, Session: began.Add(time.Minute).UnixMilli()}}
			if diff := cmp.Diff(want, list); diff != "" {
				t.Error(diff)
			}
			if tip, err := m.open().furthest(t.Context(), "1", here, there); err != nil || tip != newer {
				t.Errorf("%s is taken for further, want %s (%v)", tip, newer, err)
			}
		})
	}
}

// Of two commits the one that descends from the other is further, also where no
// mark says so.
func TestADescendantIsFurther(t *testing.T) {
	m := newMachine(t)
	first := m.git("rev-parse", "HEAD")
	m.write("second.txt", "second\n")
	second := m.commit("feat: of a person")
	for _, pair := range [][2]string{{first, second}, {second, first}, {second, ""}, {"", second}, {second, second}} {
		if got, err := m.open().furthest(t.Context(), "1", pair[0], pair[1]); err != nil || got != second {
			t.Errorf("%q: %s, %v", pair, got, err)
		}
	}
}

// A status tells what is lost and what is not, and changes nothing.
func TestStatusTellsWhatIsLost(t *testing.T) {
	for _, c := range []struct {
		name string
		lose func(m *machine, commits []string)
		want func(m *machine, commits []string, s *Standing)
		gone []string
	}{
		{name: "nothing", lose: func(*machine, []string) {}, want: func(*machine, []string, *Standing) {}},
		{name: "its owner lives", lose: func(m *machine, _ []string) {
			m.alive[4711] = true
			_, err := m.driveIn(m.at).Adopt("s", 4711, false)
			m.ok(err)
		}, want: func(_ *machine, _ []string, s *Standing) { s.Alive = true }},
		{name: "the last commit of the branch", lose: func(m *machine, _ []string) { m.git("reset", "-q", "--hard", "HEAD^") },
			want: func(_ *machine, commits []string, s *Standing) {
				s.Here, s.Whole, s.Commits[1].Branch = commits[0], false, false
			}},
		{name: "the branch here", lose: func(m *machine, _ []string) { m.git("switch", "-q", "main"); m.git("branch", "-D", feature) },
			want: func(_ *machine, _ []string, s *Standing) {
				s.Here, s.Whole, s.Commits[0].Branch, s.Commits[1].Branch = "", false, false, false
			}},
		{name: "a commit, everywhere", lose: func(m *machine, commits []string) { m.lost(commits) },
			want: func(_ *machine, commits []string, s *Standing) {
				s.Here, s.There, s.Whole, s.Commits[1] = commits[0], commits[0], false, Recorded{Hash: commits[1]}
			}},
		{name: "a commit that a rebase has made anew", lose: func(m *machine, _ []string) {
			m.git("rebase", "-q", "--force-rebase", "--committer-date-is-author-date", "-x", "true", "main") // the same hashes
			m.git("commit", "-q", "--amend", "--no-edit", "--author=v <v@example.invalid>")
		}, want: func(m *machine, _ []string, s *Standing) { s.Here = m.git("rev-parse", "HEAD") }},
		{name: "the state cannot be read", lose: func(m *machine, _ []string) {
			m.lose(m.at + "/.claude")
			m.write(".claude/"+turnstile.StateFile, "{ torn")
		}, want: func(m *machine, _ []string, s *Standing) {
			*s = Standing{Root: m.at, Commits: []Recorded{}, Error: s.Error}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			commits := m.half(false)
			c.lose(m, commits)
			before := m.everything()
			got, err := m.open().Status(t.Context(), false)
			m.ok(err)
			if len(got.Drives) != 1 || (c.name == "the state cannot be read") != (got.Drives[0].Error != "") {
				t.Fatalf("%+v", got)
			}
			want := Standing{Root: m.at, Issue: "1", Phase: drivestate.ChunkComplete, Branch: feature, Here: commits[1], There: commits[1], Whole: true,
				Commits: []Recorded{{commits[0], true, true}, {commits[1], true, true}}, Error: got.Drives[0].Error}
			c.want(m, commits, &want)
			if diff := cmp.Diff(want, got.Drives[0]); diff != "" {
				t.Error(diff)
			}
			if got.Remote != "origin" || len(got.Found) != 1 || got.Found[0].Branch != feature || len(got.Notes) != 0 {
				t.Errorf("%+v", got)
			}
			if diff := cmp.Diff(before, m.everything()); diff != "" {
				t.Errorf("something was changed:\n%s", diff)
			}
		})
	}
}

// What the remote has is fetched, unless it is not to be asked; that it cannot
// be reached is a note, and using what was fetched before.
func TestTheRemoteIsAskedOnlyWhenItMay(t *testing.T) {
	a := newMachine(t)
	b := a.another()
	a.half(true)
	a.lose(a.apart())
	if s, err := b.open().Status(t.Context(), true); err != nil || len(s.Found) != 0 {
		t.Errorf("offline: %+v, %v", s, err)
	}
	if s, err := b.open().Status(t.Context(), false); err != nil || len(s.Found) != 1 || s.Found[0].Here != "" {
		t.Errorf("online: %+v, %v", s, err)
	}
	b.git("remote", "set-url", "origin", b.dir+"/nowhere.git")
	s, err := b.open().Status(t.Context(), false)
	if err != nil || len(s.Found) != 1 || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "using what was fetched before") {
		t.Errorf("unreachable: %+v, %v", s, err)
	}
	if res, err := b.open().Run(t.Context(), Options{Issue: "1", Level: 3}); err != nil || res.Done != 2 || len(res.Notes) == 0 {
		t.Errorf("unreachable: %+v, %v", res, err)
	}
	if s, err := a.open().Status(t.Context(), true); err != nil || !cmp.Equal(s.Gone, []string{a.apart()}) {
		t.Errorf("%+v, %v", s.Gone, err)
	}
}

// From inside a drive's own work tree it is the same repository that is looked
// after.
func TestItLooksAfterTheMainWorkTree(t *testing.T) {
	m := newMachine(t)
	m.half(true)
	r, err := Open(t.Context(), m.driveIn(m.apart()), m.tracker, m.env(), "here")
	m.ok(err)
	if r.Main.Root() != m.at || r.Tree.Top() != m.at || len(r.book.Commits) != 2 {
		t.Errorf("%s, %s, %d commits", r.Main.Root(), r.Tree.Top(), len(r.book.Commits))
	}
}
