package feed_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/engine/agent"
	"warp/internal/ui/feed"
)

func (p *project) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// A pause and a wait for a limit are told when they are over, with their time.
func TestWaitsAreMeasured(t *testing.T) {
	p := newProject(t)
	p.begin("7", os.Getpid())
	r := feed.Open(p.drive, p.env)
	p.must(p.drive.SetWaiting(p.now.Add(time.Hour), "a limit"))
	p.now = p.now.Add(20 * time.Minute)
	if f := p.read(r); len(f.Waits) != 0 {
		t.Errorf("a wait that lasts: %+v", f.Waits)
	}
	p.must(p.drive.SetWaiting(time.Time{}, ""))
	_, err := p.drive.Pause()
	p.must(err)
	p.now = p.now.Add(5 * time.Minute)
	_, err = p.drive.Continue(t.Context())
	p.must(err)
	want := map[string]time.Duration{"limit": 20 * time.Minute, "pause": 5 * time.Minute}
	f := p.read(r)
	for _, w := range f.Waits {
		if w.To.Sub(w.From) != want[w.Why] || w.Issue != "7" {
			t.Errorf("%+v", w)
		}
		delete(want, w.Why)
	}
	if len(want) > 0 {
		t.Errorf("missing %v in %+v", want, f.Waits)
	}
}

// The parts of an item are those of its drive alone, and it keeps its name.
func TestAnItemHasItsParts(t *testing.T) {
	p := newProject(t)
	p.begin("7", os.Getpid())
	epoch := p.epoch()
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: epoch, Role: "code"})
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Role: "plan"})
	p.wrote(event.Run, evidence.Run{Issue: "8", Epoch: epoch, Role: "verify"})
	p.now = p.now.Add(time.Minute)
	_, err := p.drive.ExceedBudget("cost_exceeded")
	p.must(err)
	f := p.read(feed.Open(p.drive, p.env))
	i, ok := f.Here()
	if !ok {
		t.Fatal("there is no drive")
	}
	if runs := f.RunsOf(i); len(runs) != 1 || runs[0].Row.Role != "code" {
		t.Errorf("%+v", runs)
	}
	stays := f.StaysOf(i)
	if len(stays) != 2 || stays[0].To.Sub(stays[0].From) != 4*time.Minute || stays[1].Phase != drivestate.BudgetExceeded || !stays[1].To.IsZero() {
		t.Errorf("%+v", stays)
	}
	again, _ := p.read(feed.Open(p.drive, p.env)).Here()
	if i.Identity() != again.Identity() || i.Identity() == (feed.Item{Kind: feed.Loop, Name: "7"}).Identity() {
		t.Errorf("%q, %q", i.Identity(), again.Identity())
	}
}

// The log of the agent that works on an item is the one of its process that began when the
// item says.
func TestTheLogOfARunningAgent(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, ".claude", "state", "agents", "running")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)
	for id, row := range map[string]agent.Left{
		"early": {Parent: 7, Started: began.Add(-time.Hour).Format(time.RFC3339)}, "now": {Parent: 7, Started: began.Add(time.Second).Format(time.RFC3339)},
		"other": {Parent: 8, Started: began.Format(time.RFC3339)},
	} {
		row.ID = id
		text, err := json.Marshal(row)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, id+".json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	i := feed.Item{Root: root, PID: 7, Live: &livestate.State{Agents: []livestate.Agent{{Since: began}}}}
	if got, want := feed.LogNow(i), filepath.Join(root, ".claude", "state", "runs", "now", "output.log"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	i.PID = 9
	if got := feed.LogNow(i); got != "" {
		t.Errorf("the log of another process: %s", got)
	}
}
