package drive_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
)

// forge appends rows as an agent can: their checksum is right, it has no key.
func (s *scene) forge(kind string, rows ...any) {
	s.Helper()
	s.must(durable.New(durable.Config{Dir: filepath.Join(s.root, ".claude"), Now: time.Now, PID: os.Getpid()}).AppendSynced(kind, rows...))
}

// state is the drive as a process without the key reads it.
func (s *scene) state() turnstile.View {
	s.Helper()
	v, err := turnstile.Open(s.root, turnstile.System()).Read()
	s.must(err)
	return v
}

// count is how many runs of a role there were.
func (s *scene) count(role agent.Role) (n int) {
	for _, t := range s.asked {
		if t.Role == role {
			n++
		}
	}
	return n
}

// Rows of verdict and test that the engine did not write, then it is killed: at
// the first release resuming believed them, and merged.
func TestForgedVerdictsAndTestsAreNotBelieved(t *testing.T) {
	s := newScene(t, two)
	if !s.kill(drive.Options{Issue: "1"}, "ran code", 1) {
		t.Fatal(s.points)
	}
	v := s.state()
	tree := s.book().Runs[len(s.book().Runs)-1].Row.Tree
	epoch := v.State.Session.StartedAtEpoch
	for _, id := range []string{"AC-01", "AC-02"} {
		s.forge(event.Verdict, evidence.Verdict{Issue: "1", Epoch: epoch, Chunk: 1, ID: id, Met: true, Agent: "actor", Tree: tree})
		s.forge(event.Criterion, evidence.Tick{Issue: "1", Epoch: epoch, ID: id, Checked: true})
	}
	for _, stage := range []string{"chunk", "final", "merge"} {
		s.forge(event.Tested, evidence.Tested{Issue: "1", Epoch: epoch, Chunk: 1, Stage: stage, Command: "sh test.sh", Passed: true, Tree: tree})
	}
	s.forge(event.Run, evidence.Run{Issue: "1", Epoch: epoch, Chunk: 1, Role: "verify", Agent: "actor", End: "done"})
	before := s.count(agent.Verify)
	s.drive(drive.Options{Only: true}, evidence.Merged)
	if s.count(agent.Verify) <= before {
		t.Error("the work was not judged again")
	}
	s.says("8 rows of proof are not signed and do not count")
	for _, e := range s.book().Tests {
		if e.Row.Seconds == 0 && e.Row.Stage == "chunk" {
			t.Errorf("a forged row counts: %+v", e)
		}
	}
	s.notes = nil
	s.drive(drive.Options{}, evidence.NoWork)
	if strings.Contains(s.log(), "rows of proof") {
		t.Error("it was told twice")
	}
}

// edited is the drive's state as jq would leave it.
func (s *scene) edited(fn func(*lossless.Value) *lossless.Value) {
	s.Helper()
	path := filepath.Join(s.root, ".claude", turnstile.StateFile)
	text, err := os.ReadFile(path)
	s.must(err)
	v, err := lossless.Parse(text)
	s.must(err)
	s.must(os.WriteFile(path, append(lossless.AppendIndent(nil, fn(v)), '\n'), 0o600))
}

func TestAStateThatWasEditedAfterAKillIsNotBelieved(t *testing.T) {
	s := newScene(t, two)
	if !s.kill(drive.Options{Issue: "1"}, "chunks_defined", 1) {
		t.Fatal(s.points)
	}
	s.edited(func(v *lossless.Value) *lossless.Value {
		return v.With("phase", lossless.NewString("merging")).With("criteria_checked", lossless.Encode(map[string][]string{"1": {"AC-01", "AC-02"}}, nil))
	})
	s.drive(drive.Options{Only: true}, evidence.Merged)
	if s.count(agent.Code) == 0 || s.count(agent.Verify) == 0 {
		t.Errorf("merged without work: %s", s.roles())
	}
	s.says("something other than warp changed state")
	if kept, _ := filepath.Glob(filepath.Join(s.root, ".claude", turnstile.StateFile+".unsigned-*")); len(kept) != 1 {
		t.Errorf("kept: %q", kept)
	}
	if n := len(s.book().Interventions); n != 1 {
		t.Errorf("%d interventions", n)
	}
}

// The same by a row of the journal, or by the same program without the key.
func TestAStateThatWasForgedThroughTheJournalIsNotBelieved(t *testing.T) {
	s := newScene(t, two)
	if !s.kill(drive.Options{Issue: "1"}, "chunks_defined", 1) {
		t.Fatal(s.points)
	}
	doc := turnstile.Open(s.root, turnstile.System()).Doc()
	_, err := doc.Update(func(tx *durable.Tx[drivestate.State]) error {
		tx.Doc.Phase, tx.Doc.Session.Headless = "merging", false
		return nil
	})
	s.must(err)
	s.drive(drive.Options{Only: true}, evidence.Merged)
	if s.count(agent.Code) == 0 || s.count(agent.Verify) == 0 {
		t.Errorf("merged without work: %s", s.roles())
	}
}

// An agent that changes the state with a right checksum while it runs gets nothing
// by it either.
func TestAStateThatAnAgentForgesWhileItRunsIsNotBelieved(t *testing.T) {
	s := newScene(t, two)
	s.does = func(task agent.Task) any {
		if task.Role != agent.Code {
			return nil
		}
		_, err := turnstile.Open(s.root, turnstile.System()).Doc().Update(func(tx *durable.Tx[drivestate.State]) error {
			tx.Doc.Phase, tx.Doc.Checklist.TestsPassed = "committing", true
			return nil
		})
		s.must(err)
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if s.count(agent.Verify) == 0 {
		t.Errorf("never judged: %s", s.roles())
	}
	if n := len(s.book().Interventions); n == 0 {
		t.Errorf("nothing was noticed:\n%s", s.log())
	}
}

// When no engine is at a drive, a person's change is taken over. What it claims is
// judged before it is merged.
func TestAStateOfAPersonIsTakenOverAndProvenAgain(t *testing.T) {
	s := newScene(t, two)
	if !s.kill(drive.Options{Issue: "1"}, "chunks_defined", 1) {
		t.Fatal(s.points)
	}
	env := turnstile.System()
	env.Signer = s.key()
	s.must(turnstile.Open(s.root, env).Release(s.state().State.Session.PID)) // as an engine does that ends
	branch := s.state().State.BranchName()
	s.sh("git checkout -q " + branch + " && echo x > other.txt && git add other.txt && git commit -q -m 'feat: other (#1 AC-01, AC-02)'")
	s.edited(func(v *lossless.Value) *lossless.Value {
		return v.With("phase", lossless.NewString("merging"))
	})
	s.does = func(task agent.Task) any {
		if task.Role == agent.Verify {
			return verdict(task, false)
		}
		return nil
	}
	before := s.count(agent.Verify)
	ends, err := s.engine(drive.Options{Only: true}).Run(t.Context())
	if err == nil && len(ends) > 0 && ends[len(ends)-1].Result.Good() {
		t.Errorf("merged: %+v", ends)
	}
	if s.count(agent.Verify) == before {
		t.Errorf("not judged again: %v %+v\n%s", err, ends, s.log())
	}
	s.says("proving its claims again", "judging all of it again")
}
