//go:build unix

package turnstile_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// repository makes a real one with a first commit.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	git(t, root, "init", "-q", "-b", "main")
	write(t, root, "README.md", "# x\n")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "-m", "chore: begin")
	return root
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// begin starts a session at root and walks it to coding.
func begin(t *testing.T, root string) *turnstile.Drive {
	t.Helper()
	d := turnstile.Open(root, turnstile.System())
	if _, err := d.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	for _, on := range []drivestate.Event{drivestate.PrerequisitesOK, drivestate.WorkSelected, drivestate.PlanReady, drivestate.ChunksDefined} {
		fire(t, d, on)
	}
	return d
}

func fire(t *testing.T, d *turnstile.Drive, on drivestate.Event) turnstile.Result {
	t.Helper()
	r, err := d.Fire(t.Context(), on, "")
	if err != nil {
		t.Fatalf("%s: %v", on, err)
	}
	return r
}

func phase(t *testing.T, d *turnstile.Drive) drivestate.Phase {
	t.Helper()
	v, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	return v.State.Phase
}

// hanging configures a gate that waits until someone writes to the returned pipe.
func hanging(t *testing.T, root string) (started, release string) {
	t.Helper()
	started, release = filepath.Join(root, ".claude", "started"), filepath.Join(root, ".claude", "release")
	for _, p := range []string{started, release} {
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, ".claude/settings.local.json",
		`{"_workflow":{"verification_gates":{"code_complete":["echo go > .claude/started; read x < .claude/release"]}}}`)
	return started, release
}

func TestAnEventIsRefusedWhenTheDriveMovedWhileItsGatesRan(t *testing.T) {
	root := repository(t)
	d := begin(t, root)
	write(t, root, "new.txt", "x\n")
	started, release := hanging(t, root)
	result := make(chan error)
	go func() {
		_, err := d.Fire(context.Background(), drivestate.CodeComplete, "")
		result <- err
	}()
	if _, err := os.ReadFile(started); err != nil {
		t.Fatal(err)
	}
	fire(t, turnstile.Open(root, turnstile.System()), drivestate.Abort)
	if err := os.WriteFile(release, []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err == nil || !strings.Contains(err.Error(), "moved from coding to aborted") {
		t.Errorf("the stale event was not refused: %v", err)
	}
	if p := phase(t, d); p != drivestate.Aborted {
		t.Errorf("phase %s", p)
	}
}

func TestAnInterruptEndsTheGatesAndChangesNothing(t *testing.T) {
	root := repository(t)
	d := begin(t, root)
	write(t, root, "new.txt", "x\n")
	started, _ := hanging(t, root)
	before, err := os.ReadFile(d.Doc().Path())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := d.Fire(ctx, drivestate.CodeComplete, "")
		result <- err
	}()
	if _, err := os.ReadFile(started); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadFile(d.Doc().Path()); string(after) != string(before) {
		t.Error("the state changed")
	}
}

func TestEditsAreFoldedInAndADoomLoopIsTold(t *testing.T) {
	root := repository(t)
	d := begin(t, root)
	for range 6 {
		if err := d.Store().Append(event.Edit, map[string]string{"file": "src/a.go"}); err != nil {
			t.Fatal(err)
		}
	}
	v, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	if v.State.EditCounts["src/a.go"] != 6 || len(v.State.DoomLoops) != 1 {
		t.Errorf("read: %v, %d doom loops", v.State.EditCounts, len(v.State.DoomLoops))
	}
	write(t, root, "src/a.go", "package a\n")
	r := fire(t, d, drivestate.CodeComplete)
	if len(r.State.EditCounts) != 0 || len(r.State.DoomLoops) != 1 {
		t.Errorf("after the phase: %v, %d doom loops", r.State.EditCounts, len(r.State.DoomLoops))
	}
}

func TestTheDiffOfAProjectInASubfolder(t *testing.T) {
	root := filepath.Join(repository(t), "sub")
	write(t, root, "a.txt", "x\n")
	d := begin(t, root)
	write(t, root, ".claude/notes.md", "x\n")
	var gate *turnstile.GateError
	for range 2 {
		if _, err := d.Fire(t.Context(), drivestate.CodeComplete, ""); !errors.As(err, &gate) {
			t.Errorf("its own .claude counted as a diff: %v", err)
		}
	}
	if v, err := d.Read(); err != nil || v.State.Budgets.NoProgress.Count != 2 {
		t.Errorf("its own .claude counted as a new diff: %+v %v", v.State.Budgets.NoProgress, err)
	}
	write(t, root, "../beside.txt", "x\n")
	fire(t, d, drivestate.CodeComplete)
}

func TestABaseThatGitHasCollectedFallsBackToTheLastCommit(t *testing.T) {
	root := repository(t)
	d := begin(t, root)
	forgetBase(t, d)
	var gate *turnstile.GateError
	if _, err := d.Fire(t.Context(), drivestate.CodeComplete, ""); !errors.As(err, &gate) || !strings.Contains(err.Error(), "diff is empty") {
		t.Errorf("got %v", err)
	}
	write(t, root, "new.txt", "x\n")
	fire(t, d, drivestate.CodeComplete)
}

// forgetBase makes the chunk's base a tree that git does not have.
func forgetBase(t *testing.T, d *turnstile.Drive) {
	t.Helper()
	if _, err := d.Doc().Update(func(tx *durable.Tx[drivestate.State]) error {
		tx.Doc.Chunk.Base = strings.Repeat("ab", 20)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderWithoutGitCannotShowADiff(t *testing.T) {
	root := t.TempDir()
	d := begin(t, root)
	_, err := d.Fire(t.Context(), drivestate.CodeComplete, "")
	if err == nil || !strings.Contains(err.Error(), "the diff cannot be computed") {
		t.Errorf("the gate did not fail closed: %v", err)
	}
}

func TestTimeSpentPausedIsNotCharged(t *testing.T) {
	root := repository(t)
	env := turnstile.System()
	now := time.Now()
	env.Now = func() time.Time { return now }
	d := turnstile.Open(root, env)
	write(t, root, ".claude/settings.local.json", `{"_workflow":{"phase_timeout_enforcement":"block"}}`)
	if _, err := d.Init(t.Context(), turnstile.Start{Level: 3, PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Pause(); err != nil {
		t.Fatal(err)
	}
	now = now.Add(20 * time.Hour)
	if _, err := d.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	now = now.Add(29 * time.Minute)
	if r := fire(t, d, drivestate.PrerequisitesOK); r.Tripped() {
		t.Errorf("tripped: %v", r.Reasons)
	}
	now = now.Add(31 * time.Minute)
	if r := fire(t, d, drivestate.WorkSelected); !r.Tripped() {
		t.Error("a phase of 31 minutes did not trip")
	}
}

// Asleep for a night, during the gates for example: nothing trips, and nothing is left out
// twice.
func TestTimeAsleepIsNotCharged(t *testing.T) {
	root := repository(t)
	env := turnstile.System()
	now, slept := time.Now(), time.Duration(0)
	env.Now = func() time.Time { return now }
	d := turnstile.Open(root, env)
	write(t, root, ".claude/settings.local.json", `{"_workflow":{"phase_timeout_enforcement":"block"}}`)
	if _, err := d.Init(t.Context(), turnstile.Start{Level: 3, PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	var notes []string
	d.Sleep.LeaveOut(proc.NewSleepMeter(func() time.Duration { return slept }), func(n []string) { notes = append(notes, n...) })
	sleep := func(d time.Duration) { now, slept = now.Add(d), slept+d }
	sleep(7*time.Hour + 12*time.Minute)
	now = now.Add(29 * time.Minute)
	if r := fire(t, d, drivestate.PrerequisitesOK); r.Tripped() {
		t.Errorf("tripped: %v", r.Reasons)
	}
	if want := []string{"asleep for 7 h 12 min: not counted"}; !slices.Equal(notes, want) {
		t.Errorf("told %q", notes)
	}
	// Of a wait all time is left out, the part that was slept included, once.
	if err := d.SetWaiting(now.Add(time.Hour), "a limit"); err != nil {
		t.Fatal(err)
	}
	sleep(2 * time.Hour)
	if err := d.SetWaiting(time.Time{}, ""); err != nil {
		t.Fatal(err)
	}
	v, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	if got := time.Duration(v.State.Session.PausedSeconds) * time.Second; got != 9*time.Hour+12*time.Minute {
		t.Errorf("%v were left out", got)
	}
	now = now.Add(31 * time.Minute)
	if r := fire(t, d, drivestate.WorkSelected); !r.Tripped() {
		t.Error("a phase of 31 minutes did not trip")
	}
}

func TestASessionThatEndedHandsItsCheckMarksOn(t *testing.T) {
	root := repository(t)
	d := begin(t, root)
	if err := d.Criteria.CheckOff("42", []string{"AC-01"}, true); err != nil {
		t.Fatal(err)
	}
	fire(t, d, drivestate.Abort)
	fire(t, d, drivestate.AbortResolved)
	v, err := d.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	if got := v.State.Checked["42"]; len(got) != 1 || got[0] != "AC-01" {
		t.Errorf("checked off: %v", got)
	}
}

func TestTheDiffOfARepositoryWithoutCommits(t *testing.T) {
	root := t.TempDir()
	git(t, root, "init", "-q")
	d := begin(t, root)
	forgetBase(t, d)
	var gate *turnstile.GateError
	if _, err := d.Fire(t.Context(), drivestate.CodeComplete, ""); !errors.As(err, &gate) || !strings.Contains(err.Error(), "diff is empty") {
		t.Errorf("got %v", err)
	}
	write(t, root, "new.txt", "x\n")
	fire(t, d, drivestate.CodeComplete)
}
