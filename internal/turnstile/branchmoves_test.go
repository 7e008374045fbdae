//go:build unix

package turnstile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

func head(t *testing.T, root string) string {
	t.Helper()
	cmd := exec.Command("git", "rev-parse", "HEAD")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// branched is a drive in coding on a branch of its own.
func branched(t *testing.T) (string, *turnstile.Drive) {
	t.Helper()
	root := repository(t)
	write(t, root, ".gitignore", ".claude/\n")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "-m", "chore: ignore")
	git(t, root, "switch", "-q", "-c", "feature/x")
	return root, begin(t, root)
}

func look(t *testing.T, d *turnstile.Drive) turnstile.Inspection {
	t.Helper()
	v, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	sight, err := d.Watch.InspectBranches(v)
	if err != nil {
		t.Fatal(err)
	}
	return sight
}

func TestALookThatSeesNothingWritesNothing(t *testing.T) {
	_, d := branched(t)
	before := journal(t, d)
	if s := look(t, d); len(s.Moved) != 0 || s.Frozen != nil || journal(t, d) != before {
		t.Errorf("saw %+v; or it was written", s)
	}
}

func TestTheSameMovesFreezeOnceAndOthersAnew(t *testing.T) {
	root, d := branched(t)
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: sneaked in")
	if err := d.Store().Append(event.Edit, map[string]string{"file": "a.go"}); err != nil {
		t.Fatal(err)
	}
	if s := look(t, d); s.Frozen == nil || len(s.Frozen.Moves) != 1 || len(s.Moved) != 0 {
		t.Fatalf("saw %+v", s)
	}
	v, err := d.Read()
	if err != nil || v.Pending != 0 || v.State.EditCounts["a.go"] != 1 {
		t.Errorf("what was seen before is lost: %d pending, %v, %v", v.Pending, v.State.EditCounts, err)
	}
	once := journal(t, d)
	if !strings.Contains(once, `"name":"frozen"`) {
		t.Error("the journal does not tell of it")
	}
	look(t, d)
	if journal(t, d) != once {
		t.Error("the same moves are written twice")
	}
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: another")
	look(t, d)
	if f := state(t, d).Frozen; f == nil || f.At == "" || f.Moves[0].New != head(t, root) {
		t.Errorf("frozen for %+v", f)
	}
}

func TestADriveThatEndedIsNotLookedAfter(t *testing.T) {
	root, d := branched(t)
	fire(t, d, drivestate.Abort)
	fire(t, d, drivestate.AbortResolved)
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: mine")
	if s := look(t, d); len(s.Moved) != 0 || s.Frozen != nil || state(t, d).Frozen != nil {
		t.Errorf("saw %+v", s)
	}
}

func TestMovesThatThePhaseAllowsAreJournalled(t *testing.T) {
	root, d := branched(t)
	in(t, d, drivestate.Committing)
	was := head(t, root)
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: a")
	s := look(t, d)
	want := []drivestate.Move{{Branch: "feature/x", Old: was, New: head(t, root)}}
	if !slices.Equal(s.Moved, want) || s.Frozen != nil {
		t.Fatalf("saw %+v", s)
	}
	if w := state(t, d).Watch["feature/x"]; w.Tip != head(t, root) || w.PhaseTip != was {
		t.Errorf("watched %+v", w)
	}
	if again := look(t, d); len(again.Moved) != 0 {
		t.Errorf("seen twice: %+v", again)
	}
}

// in puts the drive into a phase, however it would have come there.
func in(t *testing.T, d *turnstile.Drive, p drivestate.Phase) {
	t.Helper()
	if _, err := d.Doc().Update(func(tx *durable.Tx[drivestate.State]) error {
		tx.Doc.Phase = p
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestADetachedHeadDoesNotHideTheBranches(t *testing.T) {
	root, d := branched(t)
	git(t, root, "checkout", "-q", "--detach")
	git(t, root, "branch", "-q", "-f", "main", "HEAD~1")
	if s := look(t, d); s.Frozen == nil || len(s.Frozen.Moves) != 1 || s.Frozen.Moves[0].Branch != "main" {
		t.Errorf("saw %+v", s)
	}
}

func TestWhatCameFromTheTargetIsNotMadeByTheDrive(t *testing.T) {
	root, d := branched(t)
	in(t, d, drivestate.Committing)
	git(t, root, "switch", "-q", "main")
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: of others")
	git(t, root, "switch", "-q", "feature/x")
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: a")
	git(t, root, "merge", "-q", "--no-edit", "main")
	made, err := d.Watch.ListPhaseCommits(state(t, d), nil)
	if err != nil || len(made) != 2 || made[0].Message != "feat: a" || made[1].Hash != head(t, root) {
		t.Errorf("made %+v, %v", made, err)
	}
}

func TestAnOverrideTakesOverWhatAPersonDid(t *testing.T) {
	root, d := branched(t)
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: mine")
	look(t, d)
	if err := d.Store().Append(event.Edit, map[string]string{"file": "a.go"}); err != nil {
		t.Fatal(err)
	}
	s, err := d.Watch.Override("it is mine", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil || s.Override.Reason != "it is mine" || s.Frozen != nil {
		t.Fatalf("returned %+v", s)
	}
	v, err := d.Read()
	if err != nil || v.Pending != 0 || v.State.EditCounts["a.go"] != 1 {
		t.Errorf("what was seen before is lost: %d pending, %v, %v", v.Pending, v.State.EditCounts, err)
	}
	if got := v.State.CommitHashes; !slices.Equal(got, []string{head(t, root)}) {
		t.Errorf("recorded %v", got)
	}
	if w := v.State.Watch["feature/x"]; w.Tip != head(t, root) || w.PhaseTip != head(t, root) {
		t.Errorf("watched %+v", w)
	}
	if !strings.Contains(journal(t, d), `"name":"override"`) {
		t.Error("the journal does not tell of it")
	}
	from, err := time.Parse(time.RFC3339, s.Override.At)
	until, e := time.Parse(time.RFC3339, s.Override.Until)
	if err != nil || e != nil || until.Sub(from) != time.Hour {
		t.Errorf("from %s until %s", s.Override.At, s.Override.Until)
	}
}

func TestADriveWithoutGitWatchesNothing(t *testing.T) {
	d := begin(t, t.TempDir())
	if s := look(t, d); len(s.Moved) != 0 || s.Frozen != nil {
		t.Errorf("saw %+v", s)
	}
	if made, err := d.Watch.ListPhaseCommits(state(t, d), nil); err != nil || len(made) != 0 {
		t.Errorf("made %v, %v", made, err)
	}
}

func TestSettlingLeavesNothingPendingAndDoesNotChangeTheDrive(t *testing.T) {
	_, d := branched(t)
	for range 3 {
		if err := d.Store().Append(event.Edit, map[string]string{"file": "a.go"}); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := d.Read(); err != nil || v.Pending != 3 {
		t.Fatalf("%d pending, %v", v.Pending, err)
	}
	before := state(t, d)
	if err := d.FoldObservations(); err != nil {
		t.Fatal(err)
	}
	v, err := d.Read()
	if err != nil || v.Pending != 0 || v.State.EditCounts["a.go"] != 3 || v.State.Phase != before.Phase {
		t.Errorf("%d pending, %v in %s, %v", v.Pending, v.State.EditCounts, v.State.Phase, err)
	}
	if !strings.Contains(journal(t, d), `"name":"settled"`) {
		t.Error("the journal does not tell of it")
	}
}

func TestContinuingWhatDoesNotWaitSaysSo(t *testing.T) {
	_, d := branched(t)
	if _, err := d.Continue(t.Context()); err == nil || !strings.Contains(err.Error(), "phase coding") {
		t.Errorf("got %v", err)
	}
	if _, err := d.Pause(); err != nil {
		t.Fatal(err)
	}
	r, err := d.Continue(t.Context())
	if err != nil || r.State == nil || r.State.Paused != nil || r.From != drivestate.Coding || r.To != drivestate.Coding {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestWhichFolderIsTheProject(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"home/.claude", "home/plain/deep", "home/claude/.claude", "home/claude/deep", "home/repo/.git/objects", "home/repo/sub/.claude", "home/repo/sub/deep", "home/repo/inner/.git/objects", "home/driven/.git/objects", "home/plain/.git/warp-drives", "home/driven/sub/.claude"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, at("home/driven"), ".claude/"+turnstile.StateFile, "{}")
	write(t, at("home/dotgit"), ".git", "gitdir: elsewhere")
	for dir, want := range map[string]string{
		"home/plain/deep":     "", // ~/.claude makes no project, nor does a .git without a repository
		"home":                "",
		"home/claude":         "home/claude",
		"home/claude/deep":    "home/claude",
		"home/repo":           "home/repo",
		"home/repo/sub":       "home/repo/sub",
		"home/repo/sub/deep":  "home/repo/sub",
		"home/repo/inner":     "home/repo/inner",
		"home/driven/sub":     "home/driven", // a session is nearer than a folder without
		"home/driven/no/such": "home/driven",
		"home/dotgit":         "home/dotgit",
	} {
		got, ok := turnstile.Find(at(dir), at("home")+"/")
		if want != "" {
			want = at(want)
		}
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", dir, got, ok, want)
		}
	}
	write(t, at("home"), ".claude/"+turnstile.StateFile, "{}")
	if got, _ := turnstile.Find(at("home/repo/sub"), at("home")); got != at("home/repo/sub") {
		t.Errorf("the search leaves the repository: %q", got)
	}
	if got, _ := turnstile.Find(at("home/plain/deep"), at("home")); got != at("home") {
		t.Errorf("a drive in the home folder: %q", got)
	}
}

func TestConfirmationsAreJournalledWhereThereIsAStore(t *testing.T) {
	bare := turnstile.Open(t.TempDir(), turnstile.System())
	if err := bare.Criteria.Confirm(drivestate.CodeComplete, []string{"AC-01: seen"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(bare.Root(), ".claude")); err == nil {
		t.Error("a confirmation made a store")
	}
	_, d := branched(t)
	before := journal(t, d)
	if err := d.Criteria.Confirm(drivestate.CodeComplete, nil); err != nil || journal(t, d) != before {
		t.Errorf("nothing was confirmed, and journalled: %v", err)
	}
	if err := d.Criteria.Confirm(drivestate.CodeComplete, []string{"AC-01: seen"}); err != nil || !strings.Contains(journal(t, d), `"AC-01: seen"`) {
		t.Errorf("not journalled: %v", err)
	}
}

func TestTheCriteriaOfAnIssueThatIsAFile(t *testing.T) {
	root, d := branched(t)
	if list, err := d.Criteria.RecordFromFile("42"); err != nil || list != nil {
		t.Errorf("there is no such file: %v, %v", list, err)
	}
	write(t, root, turnstile.IssueFile("42"), "- [ ] AC-01: parse mail\n- [x] AC-02: keep it\n")
	list, err := d.Criteria.RecordFromFile("42")
	if err != nil || len(list) != 2 || state(t, d).CriterionText("AC-02") != "keep it" {
		t.Errorf("%v, %v, %q", list, err, state(t, d).CriterionText("AC-02"))
	}
	write(t, root, turnstile.IssueFile("42"), "no criteria here\n")
	if list, err := d.Criteria.RecordFromFile("42"); err != nil || len(list) != 0 || state(t, d).CriterionText("AC-02") != "" {
		t.Errorf("those that were taken out stay: %v, %v", list, err)
	}
}

func TestAMergeOnlyAdds(t *testing.T) {
	root, d := branched(t)
	git(t, root, "commit", "-q", "--allow-empty", "-m", "feat: a")
	if _, err := d.Watch.Override("begin here", 0); err != nil {
		t.Fatal(err)
	}
	in(t, d, drivestate.Merging)
	git(t, root, "branch", "-q", "-f", "main", "feature/x")
	if s := look(t, d); len(s.Moved) != 1 || s.Moved[0].Branch != "main" || s.Frozen != nil {
		t.Fatalf("a fast-forward: %+v", s)
	}
	git(t, root, "branch", "-q", "-f", "main", "HEAD~2")
	if s := look(t, d); s.Frozen == nil || len(s.Moved) != 0 {
		t.Errorf("a merge that drops: %+v", s)
	}
}

func TestAnAdoptedDriveIsMissedByItsNewOwner(t *testing.T) {
	w, d := owned(t, "a", 7)
	delete(w.alive, 7)
	if owns, err := d.Adopt("b", 8, false); !owns || err != nil {
		t.Fatalf("not adopted: %v, %v", owns, err)
	}
	if session, lost := turnstile.FindLostDrive(d.Root()); lost {
		t.Errorf("lost by %q while it is there", session)
	}
	if err := os.Remove(d.Doc().Path()); err != nil {
		t.Fatal(err)
	}
	if session, lost := turnstile.FindLostDrive(d.Root()); !lost || session != "b" {
		t.Errorf("lost %v, by %q", lost, session)
	}
}
