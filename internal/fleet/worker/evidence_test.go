package worker

import (
	"os"
	"strings"
	"testing"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// The fleet hears of the evidence when a drive ends, parked or merged, and from time to time
// while it goes on; not with each short step.
func TestEvidenceIsToldWhileADriveGoesOn(t *testing.T) {
	w, work := newWorker(t, `go() { while read -r line; do case $line in *'"go":true'*) return ;; esac; done; exit; }
echo '{"kind":"phase","n":1,"phase":"coding"}'; go
echo '{"kind":"phase","n":2,"phase":"testing"}'; go
echo '{"kind":"phase","n":3,"phase":"testing"}'; go
echo '{"kind":"end","outcome":{"result":"person"}}'; go
`)
	script, err := os.ReadFile(w.Warp)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(script), "|| exit 1", `|| { echo '{"issue":"7","criteria":[{"id":"AC-01"}]}'; exit; }`, 1)
	if err := os.WriteFile(w.Warp, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	at, err := run(t, w.BeginWork, work)
	if err != nil || at.Phase != "coding" || len(at.Evidence) > 0 {
		t.Fatalf("%+v, %v", at, err)
	}
	at, err = run(t, w.TakeStep, flow.Step{Work: work, Serial: 1})
	if err != nil || at.Phase != "testing" || len(at.Evidence) > 0 {
		t.Fatalf("%+v, %v", at, err)
	}
	w.seats.find(work).told = time.Now().Add(-evidencePause - time.Second)
	at, err = run(t, w.TakeStep, flow.Step{Work: work, Serial: 2})
	if err != nil || at.Phase != "testing" || !strings.Contains(string(at.Evidence), "AC-01") {
		t.Fatalf("%+v, %v", at, err)
	}
	at, err = run(t, w.TakeStep, flow.Step{Work: work, Serial: 3})
	if err != nil || at.Outcome == nil || !strings.Contains(string(at.Evidence), "AC-01") {
		t.Errorf("%+v, %v", at, err)
	}
}

func TestADriveIsToldWhatWasSpentBefore(t *testing.T) {
	w, work := newWorker(t, "echo \"$*\" >>../log\n"+merges)
	work.Spent = conduct.Spent{MicroUSD: 5, Tokens: 7}
	if _, err := run(t, w.BeginWork, work); err != nil || !strings.Contains(w.log(t), "--spent=5,7") {
		t.Errorf("%v, %s", err, w.log(t))
	}
}
