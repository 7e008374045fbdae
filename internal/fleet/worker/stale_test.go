package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
	"warp/internal/fleet/flow"
	"warp/internal/sys/proc"
)

// acknowledging is a server that acknowledges every heartbeat.
type acknowledging struct{ client.Client }

func (acknowledging) RecordActivityHeartbeat(context.Context, []byte, ...any) error { return nil }

// newWorker is a worker with a clone of x#7, whose drive is a script.
func newWorker(t *testing.T, script string) (*Worker, flow.Work) {
	t.Helper()
	dir := t.TempDir()
	clone := filepath.Join(dir, "work", "x", "issue-7")
	for _, folder := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(clone, ".git", folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	warp := filepath.Join(dir, "warp")
	for name, text := range map[string]string{filepath.Join(clone, ".git", "HEAD"): "ref: refs/heads/main\n", warp: "#!/bin/sh\n[ \"$1\" != evidence ] || exit 1\necho began >>../log\n" + script} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w := &Worker{Fleet: "f", Folder: filepath.Join(dir, "work"), Warp: warp, Environ: os.Environ(), Client: acknowledging{}, attempt: readAttempt}
	t.Cleanup(w.seats.endDrives)
	return w, flow.Work{Repository: fleetfile.Repository{Name: "x"}, Issue: "7", Attempt: 1}
}

func run(t *testing.T, activity, in any) (at flow.Stepped, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(activity)
	v, err := env.ExecuteActivity(activity, in)
	if err == nil {
		err = v.Get(&at)
	}
	return at, err
}

func (w *Worker) log(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.Folder, "x", "log"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// merges asks to merge, and does when it may.
const merges = `echo '{"kind":"phase","n":1,"phase":"merging"}'
while read -r line; do
  case $line in *'"n":1,"go":true'*) echo merged >>../log; echo '{"kind":"end","outcome":{"result":"merged"}}' ;; esac
done
`

// A worker that was started anew has no drive: the one that it starts may stand elsewhere
// than the one that was let go on, which had money and the turn for its phase.
func TestAStepOfANewDriveIsDecidedAgain(t *testing.T) {
	w, work := newWorker(t, merges)
	at, err := run(t, w.TakeStep, flow.Step{Work: work, Serial: 5})
	if err != nil || at.Phase != "merging" || w.log(t) != "began" {
		t.Fatalf("%+v, %v, %s", at, err, w.log(t))
	}
	at, err = run(t, w.TakeStep, flow.Step{Work: work, Serial: 6})
	if err != nil || at.Outcome == nil || w.log(t) != "began merged" {
		t.Errorf("%+v, %v, %s", at, err, w.log(t))
	}
}

// Two workers of one name take steps in turn: the drive of each knows only its own.
func TestADriveThatMissedStepsIsBegunAnew(t *testing.T) {
	w, work := newWorker(t, merges)
	if at, err := run(t, w.BeginWork, work); err != nil || at.Phase != "merging" {
		t.Fatalf("%+v, %v", at, err)
	}
	at, err := run(t, w.TakeStep, flow.Step{Work: work, Serial: 2})
	if err != nil || at.Phase != "merging" || w.log(t) != "began began" {
		t.Errorf("%+v, %v, %s", at, err, w.log(t))
	}
}

// An answer that was on its way to a worker that died is given to the next drive.
func TestAnAnswerIsNotAskedForTwice(t *testing.T) {
	w, work := newWorker(t, `echo '{"kind":"question","n":1,"ask":{"id":"q"}}'
while read -r line; do
  case $line in *'"answer":"blue"'*) echo blue >>../log; echo '{"kind":"end","outcome":{"result":"merged"}}' ;; esac
done
`)
	at, err := run(t, w.TakeStep, flow.Step{Work: work, Serial: 5, Answer: &flow.Answer{Question: "q", Text: "blue"}})
	if err != nil || at.Outcome == nil || w.log(t) != "began blue" {
		t.Errorf("%+v, %v, %s", at, err, w.log(t))
	}
}

func TestABrokenStepIsPaid(t *testing.T) {
	w, work := newWorker(t, `echo '{"kind":"live","micro_usd":70}'; exit 3`)
	_, err := run(t, w.BeginWork, work)
	var broken *temporal.ApplicationError
	if !errors.As(err, &broken) || broken.Type() != flow.StepBroken || !broken.HasDetails() {
		t.Fatal(err)
	}
	var spent conduct.Spent
	if err := broken.Details(&spent); err != nil || spent.MicroUSD != 70 {
		t.Errorf("%+v, %v", spent, err)
	}
}

// A drive that dies while no one listens to it must not keep the worker waiting.
func TestAReplyToTheDeadDoesNotWait(t *testing.T) {
	w, work := newWorker(t, `echo '{"kind":"push","n":1}'; echo '{"kind":"live"}'; exit 1`)
	clone := filepath.Join(w.Folder, "x", "issue-7")
	p, err := startProcess([]string{w.Warp, work.Issue}, clone, "", "WARP_FLEET_WORK="+clone, w.Environ)
	if err != nil {
		t.Fatal(err)
	}
	<-p.says
	for err == nil {
		err = p.reply(conduct.Reply{Good: 1})
	}
	p.kill()
}

func TestWhatAnEarlierWorkerLeftIsEnded(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("marks are Linux's")
	}
	w, work := newWorker(t, merges)
	clone := filepath.Join(w.Folder, "x", "issue-7")
	left := make(chan int, 1)
	started := make(chan int, 1)
	go func() {
		res, _ := proc.Run(context.Background(), proc.Cmd{Argv: []string{"sleep", "600"}, Env: append(os.Environ(), "WARP_FLEET_WORK="+clone), Started: func(pid int) { started <- pid }})
		left <- res.Exit
	}()
	<-started
	if _, err := run(t, w.BeginWork, work); err != nil {
		t.Fatal(err)
	}
	if exit := <-left; exit != 128+9 {
		t.Errorf("it ended with %d", exit)
	}
}
