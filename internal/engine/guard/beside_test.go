package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/sys/git"
)

// linked is a guard of a work tree of an engine's own, beside the person's.
func (s *scene) linked(name string, shared *Shared) *Guard {
	s.t.Helper()
	dir := filepath.Join(s.root, ".claude", "worktrees", name)
	s.sh("git worktree add -q -b warp/" + name + " " + dir)
	g, err := New(Options{Root: dir, Main: s.root, Store: durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), Now: time.Now, PID: os.Getpid()}), State: filepath.Join(filepath.Dir(s.root), "state"),
		Name: "test", Now: time.Now, Remark: s.guard.Remark, Shared: shared})
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

// An agent that works in a tree of its own reaches the person's all the same; two
// of them at once destroy it twice.
func TestThePersonsTreeIsGuardedFromRunsElsewhere(t *testing.T) {
	s := newScene(t)
	before := s.sh(look)
	shared := NewShared()
	var runs []*Run
	for _, name := range []string{"one", "two"} {
		g := s.linked(name, shared)
		sc := s.scope()
		sc.Owner, sc.Refs = "test "+name, append([]string{"refs/heads/warp/" + name}, sc.Refs...)
		r, err := g.Before(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	for _, r := range runs {
		s.sh(`git reset -q --hard HEAD~1; git clean -fdxq -e .claude; rm -rf .claude/issues .claude/settings.json; echo x > .claude/worktrees/one/made.txt`)
		if _, err := r.After(context.Background()); err != nil {
			t.Fatal(err)
		}
		if after := s.sh(look); after != before {
			t.Errorf("was\n%s\nis\n%s\n%v", before, after, s.found)
		}
	}
}

// A branch that is made while another run is under way is its own run's to keep: two branches
// of a pipeline begin at the same moment, and the reset of one went unseen, so that a file of
// the person's was deleted on main.
func TestABranchThatIsMadeDuringAnotherRunIsGuarded(t *testing.T) {
	s := newScene(t)
	shared := NewShared()
	begin := func(name string) *Run {
		t.Helper()
		g := s.linked(name, shared)
		sc := s.scope()
		sc.Owner, sc.Refs = "test "+name, append([]string{"refs/heads/warp/" + name}, sc.Refs...)
		r, err := g.Before(context.Background(), sc)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, two := begin("one"), begin("two")
	had := s.sh("git -C .claude/worktrees/two ls-files; git rev-parse warp/two")
	s.sh("git -C .claude/worktrees/two reset -q --hard HEAD~1")
	for _, r := range []*Run{two, one} {
		if _, err := r.After(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if has := s.sh("git -C .claude/worktrees/two ls-files; git rev-parse warp/two"); has != had {
		t.Errorf("was\n%s\nis\n%s\n%v", had, has, s.found)
	}
	if missing := s.sh("git -C .claude/worktrees/two ls-files --deleted"); missing != "" {
		t.Errorf("deleted: %s", missing)
	}
}

// The engine moves a branch back while a run is under way elsewhere: no guard looks between the
// move and its record. One that did took the branch for moved by an agent. An agent that moves
// it first is put right, and nothing is taken for the engine's.
func TestTheEngineMovesABranchBack(t *testing.T) {
	for name, before := range map[string]string{"at rest": "true", "the agent was first": "git -C .claude/worktrees/one commit -q --allow-empty -m agent"} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			shared := NewShared()
			g := s.linked("one", shared)
			sc := s.scope()
			sc.Owner, sc.Refs = "test one", append([]string{"refs/heads/warp/one"}, sc.Refs...)
			r, err := g.Before(t.Context(), sc)
			if err != nil {
				t.Fatal(err)
			}
			from, to := strings.TrimSpace(s.sh("git rev-parse warp/one")), strings.TrimSpace(s.sh("git rev-parse warp/one~1"))
			s.sh(before)
			want := to
			err = g.MoveRef("refs/heads/warp/one", func() (string, error) {
				if shared.restoring.TryLock() {
					shared.restoring.Unlock()
					t.Error("another guard may look in between")
				}
				return to, g.Work.Move(t.Context(), "warp/one", to, from)
			})
			if (err != nil) != (before != "true") {
				t.Fatal(err)
			}
			if err != nil {
				want = from
			}
			if _, err := r.After(t.Context()); err != nil {
				t.Fatal(err)
			}
			found := slices.ContainsFunc(s.found, func(f Finding) bool { return strings.Contains(f.Text, "the agent moved warp/one") })
			if is := strings.TrimSpace(s.sh("git rev-parse warp/one")); is != want || found != (want == from) {
				t.Errorf("the branch is at %s, want %s; %v", is, want, s.found)
			}
		})
	}
}

// What a person changes while two agents work elsewhere is reported to the run that is still
// there to tell it, not to the first one, which may be over.
func TestAPersonsChangeIsReportedToTheRunThatIsStillThere(t *testing.T) {
	s := newScene(t)
	shared := NewShared()
	var runs []*Run
	told := map[string][]string{}
	for _, name := range []string{"one", "two"} {
		sc := s.scope()
		sc.Owner, sc.Refs = "test "+name, append([]string{"refs/heads/warp/" + name}, sc.Refs...)
		sc.Report = func(f Finding) { told[name] = append(told[name], f.Text) }
		r, err := s.linked(name, shared).Before(t.Context(), sc)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	for i, script := range []string{"true", "echo more >> notes.txt"} {
		s.sh(script)
		if _, err := runs[i].After(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(told["one"]) > 0 || !strings.Contains(strings.Join(told["two"], "\n"), `"notes.txt"`) {
		t.Errorf("told were %q", told)
	}
}

// After a kill the engine that comes next knows nothing of the run: what is gone in the
// person's tree is there again, what is another is kept beside, and nothing is undone.
func TestBothTreesAreLookedAfterWhenAnEngineWasKilled(t *testing.T) {
	s := newScene(t)
	head := s.sh("git rev-parse HEAD")
	g := s.linked("one", NewShared())
	sc := s.scope()
	sc.Owner, sc.Refs = "test one", append([]string{"refs/heads/warp/one"}, sc.Refs...)
	if _, err := g.Before(t.Context(), sc); err != nil {
		t.Fatal(err)
	}
	notes := s.sh("cat notes.txt")
	s.sh(`git reset -q --hard HEAD~1; git clean -fdxq -e .claude; echo x > .claude/worktrees/one/made.txt; echo later > later.txt; git add later.txt`)
	next, err := New(Options{Root: g.Root, Main: s.root, Store: g.Store, State: g.State, Name: "test", Now: time.Now, Remark: s.guard.Remark})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := next.Recover(t.Context(), sc); err != nil || !found {
		t.Fatal(found, err)
	}
	if n := strings.Count(strings.Join(s.said, "\n"), "an agent was running"); n != 1 {
		t.Errorf("it was said %d times: %q", n, s.said)
	}
	if next.Left == nil || !slices.Equal(next.Left.Changed, []string{"made.txt"}) {
		t.Errorf("what it left is %+v", next.Left)
	}
	if have := s.sh("cat scratch.txt .env; git diff --cached --name-only"); have != "mine\nSECRET=1\nlater.txt\n" {
		t.Errorf("there is %q", have)
	}
	if kept := s.sh("cat .git/warp/replaced/notes.txt*"); kept != notes {
		t.Errorf("kept is %q, not %q", kept, notes)
	}
	if kept := s.sh("git for-each-ref --format='%(objectname)' refs/warp/before"); kept != head {
		t.Errorf("the commit that is gone is not kept: %q", kept)
	}
}

// A work tree that was deleted while its agent ran is another matter than the
// repository.
func TestAWorkTreeThatIsGoneIsNoRepositoryThatIs(t *testing.T) {
	s := newScene(t)
	g := s.linked("one", NewShared())
	r, err := g.Before(context.Background(), Scope{Owner: "test one", Label: "x", Report: func(Finding) {}})
	if err != nil {
		t.Fatal(err)
	}
	s.sh(`rm -rf .claude/worktrees .claude/issues`)
	_, err = r.After(context.Background())
	if e, gone := errors.AsType[*GoneError](err); !gone || !e.Linked || !strings.Contains(e.Error(), "on its branch") || e.Advice() == "" {
		t.Errorf("%v", err)
	}
	if have := s.sh("cat .claude/issues/1.md"); have != "issue\n" {
		t.Errorf("there is %q", have)
	}
}

// What a run left is known by its label, also to the next engine, and as the work of
// its owner; what the engine does itself is its own.
func TestWhatARunLeft(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `echo a > made.txt`)
	s.sh(`echo engine > tested.txt`)
	if err := s.guard.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r, err := s.guard.Before(context.Background(), s.scope()); err != nil || len(r.Between) > 0 {
		t.Errorf("%v %v", r.Between, err)
	}
	next := s.open()
	if have := strings.Join(next.LastOutcome("test").Changed, " "); have != "made.txt" {
		t.Errorf("the outcome is %q", have)
	}
	left, err := next.Leftovers(context.Background(), "test")
	if err != nil {
		t.Fatal(err)
	}
	var rec record
	if err := next.loadNote(&rec); err != nil || rec.Run == nil {
		t.Fatal(err)
	}
	rec.Run = nil
	if err := next.saveNote(&rec); err != nil {
		t.Fatal(err)
	}
	if more, err := next.Leftovers(context.Background(), "te"); err != nil || strings.Join(more, " ") != "made.txt tested.txt" {
		t.Errorf("without a note: %v %v, with one %v", more, err, left)
	}
	if none, err := next.Leftovers(context.Background(), "other"); err != nil || len(none) > 0 {
		t.Errorf("%v %v", none, err)
	}
	next.Inherit([]string{"made.txt"})
	next.attribute("another", mustPrint(t, next))
	if theirs := next.record.Theirs; theirs["made.txt"] || !theirs["notes.txt"] {
		t.Errorf("%v", theirs)
	}
	next.Clear()
	if _, err := os.Stat(next.files.dir); !os.IsNotExist(err) {
		t.Errorf("copies are left: %v", err)
	}
	if next.TurnFile() == "" {
		t.Error("there is no turn")
	}
}

func mustPrint(t *testing.T, g *Guard) (p git.Print) {
	t.Helper()
	p, err := g.printer.Print(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Git makes the work tree of another run while this one is recorded: what it was
// still writing then is not put back to nothing.
func TestAWorkTreeThatIsBeingMadeIsLeftAlone(t *testing.T) {
	s := newScene(t)
	s.linked("two", NewShared())
	half := filepath.Join(s.root, ".git", "worktrees", "two", "commondir")
	whole, err := os.ReadFile(half)
	if err == nil {
		err = os.WriteFile(half, nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.run(s.scope(), "printf '"+string(whole)+"' > .git/worktrees/two/commondir")
	if have, err := os.ReadFile(half); err != nil || string(have) != string(whole) {
		t.Errorf("%q %v, %v", have, err, s.found)
	}
}
