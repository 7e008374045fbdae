package feed_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/questions"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// project is a folder whose clock stands still unless it is moved.
type project struct {
	*testing.T
	drive *turnstile.Drive
	env   turnstile.Env
	now   time.Time
}

func newProject(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, ".claude"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &project{T: t, env: turnstile.System(), now: time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)}
	p.env.Now = func() time.Time { return p.now }
	p.drive = turnstile.Open(dir, p.env)
	return p
}

func (p *project) wrote(kind string, row any) {
	p.Helper()
	p.now = p.now.Add(time.Minute)
	if err := p.drive.Store().Append(kind, row); err != nil {
		p.Fatal(err)
	}
}

func (p *project) read(r *feed.Reader) *feed.Feed {
	p.Helper()
	f, err := r.Read()
	if err != nil {
		p.Fatal(err)
	}
	return f
}

func (p *project) begin(issue string, pid int) *turnstile.Drive {
	p.Helper()
	if _, err := p.drive.Init(p.Context(), turnstile.Start{Level: 3, Issue: issue, PID: pid, Headless: true}); err != nil {
		p.Fatal(err)
	}
	return p.drive
}

func (p *project) epoch() int64 {
	p.Helper()
	v, err := p.drive.Read()
	if err != nil {
		p.Fatal(err)
	}
	return v.State.Session.StartedAtEpoch
}

func only(t *testing.T, f *feed.Feed) feed.Item {
	t.Helper()
	if len(f.Items) != 1 {
		t.Fatalf("%d items: %+v", len(f.Items), f.Items)
	}
	return f.Items[0]
}

// gone is a process that no machine has.
const gone = 1 << 30

func TestWhereADriveStands(t *testing.T) {
	for name, c := range map[string]struct {
		pid  int
		act  func(p *project)
		want feed.State
		why  string
		do   string
	}{
		"a process drives it": {os.Getpid(), func(*project) {}, feed.Running, "", ""},
		"it was paused":       {os.Getpid(), func(p *project) { _, _ = p.drive.Pause() }, feed.Paused, "", "warp continue 7"},
		"it was killed":       {gone, func(*project) {}, feed.Interrupted, "its process has ended", "warp resume 7"},
		"it was killed, and had limits": {gone, func(p *project) {
			if err := p.drive.SetTerms("", budget.Caps{MicroUSD: 5e6, Until: "07:00"}); err != nil {
				p.Error(err)
			}
		}, feed.Interrupted, "its process has ended", "warp resume 7 --max-cost 5 --until 07:00"},
		"it parked itself": {gone, func(p *project) {
			p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: p.epoch(), Result: evidence.Person, Why: "notes.txt is in the way", Do: "move it, then warp resume"})
		}, feed.Parked, "notes.txt is in the way", "move it, then warp resume"},
		"it went on since": {gone, func(p *project) {
			p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: p.epoch(), Result: evidence.Person, Why: "notes.txt is in the way"})
			p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: p.epoch()})
		}, feed.Interrupted, "its process has ended", "warp resume 7"},
		"a budget is spent": {gone, func(p *project) { _, _ = p.drive.ExceedBudget("cost_exceeded") }, feed.Parked, "its money is spent, while checking what it needs", "warp stop; nothing was coded yet"},
		"another budget was spent before": {gone, func(p *project) {
			p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: p.epoch(), Result: evidence.Budget, Why: "its money is spent", Do: "warp resume --max-cost MORE"})
			p.now = p.now.Add(time.Minute)
			_, _ = p.drive.ExceedBudget("time_exceeded")
		}, feed.Parked, "its time is up, while checking what it needs", "warp stop; nothing was coded yet"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.begin("7", c.pid)
			c.act(p)
			i := only(t, p.read(feed.Open(p.drive, p.env)))
			if i.State != c.want || i.Why != c.why || i.Do != c.do || i.Issue != "7" || i.Since.IsZero() {
				t.Errorf("%s, %q, %q: %+v", i.State, i.Why, i.Do, i)
			}
		})
	}
}

func TestWhatHasEnded(t *testing.T) {
	for result, want := range map[evidence.Result]feed.State{evidence.Merged: feed.Done, evidence.Pull: feed.Done, evidence.Failed: feed.Failed, evidence.Partly: feed.Failed, evidence.Stopped: feed.Stopped} {
		p := newProject(t)
		p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, MicroUSD: 250_000, Input: 100})
		p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: 5, Title: "Parse", Result: result, Why: "x"})
		f := p.read(feed.Open(p.drive, p.env))
		i := only(t, f)
		if i.State != want || i.Title != "Parse" || i.Cost.MicroUSD != 250_000 || i.Ended.IsZero() || f.Today.Tokens != 100 {
			t.Errorf("%s: %+v", result, i)
		}
	}
}

// An issue that was taken up again is one piece of work: the later drive's.
func TestALaterDriveSupersedes(t *testing.T) {
	p := newProject(t)
	p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: 5, Result: evidence.Stopped})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: 6, Result: evidence.Merged})
	f := p.read(feed.Open(p.drive, p.env))
	if got := f.Find("7"); len(f.Items) != 2 || len(got) != 1 || got[0].State != feed.Done || len(f.EndedSince(time.Time{})) != 1 {
		t.Errorf("%+v", f.Items)
	}
}

// A reader that is kept sees what is new, once, and forgets nothing.
func TestAReaderReadsWhatIsNew(t *testing.T) {
	p := newProject(t)
	r := feed.Open(p.drive, p.env)
	for n := 1; n <= 3; n++ {
		p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Input: 10})
		if i := only(t, p.read(r)); i.Cost.Runs != n {
			t.Fatalf("after %d runs: %+v", n, i.Cost)
		}
	}
	if i := only(t, p.read(r)); i.Cost.Runs != 3 {
		t.Errorf("%+v", i.Cost)
	}
	if err := os.RemoveAll(filepath.Join(p.drive.Store().Dir(), "state")); err != nil {
		t.Fatal(err)
	}
	p.wrote(event.Run, evidence.Run{Issue: "8", Epoch: 6, Input: 10})
	if i := only(t, p.read(r)); i.Issue != "8" || i.Cost.Runs != 1 {
		t.Errorf("a journal that was replaced: %+v", i)
	}
}

// The log is in the order of time, whatever the sources.
func TestTheLogIsMerged(t *testing.T) {
	p := newProject(t)
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Agent: "demo", Role: "code", End: "done"})
	p.now = p.now.Add(time.Minute)
	p.begin("8", os.Getpid())
	p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: 5, Result: evidence.Merged})
	var got []string
	for _, e := range p.read(feed.Open(p.drive, p.env)).Log() {
		got = append(got, e.Name+" "+e.What)
	}
	want := []string{"#7 run", "#8 phase", "#7 end"}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a night did not begin is in its account alone.
func TestWhatANightPassedOver(t *testing.T) {
	p := newProject(t)
	type night struct {
		Began   string              `json:"began"`
		Account *nightreport.Report `json:"account,omitempty"`
	}
	p.wrote(event.Night, night{Began: "x"})
	p.wrote(event.PassedOver, evidence.PassedOver{Issue: "8", Why: "no criteria"})
	p.wrote(event.Night, night{"x", &nightreport.Report{Passed: []nightreport.Issue{{Number: "9", Title: "Nine", Passed: "it waits for #8"}}}})
	f := p.read(feed.Open(p.drive, p.env))
	if len(f.PassedOver) != 2 || f.PassedOver[0].Row.Issue != "8" || f.PassedOver[1].Row != (evidence.PassedOver{Issue: "9", Title: "Nine", Why: "it waits for #8"}) {
		t.Errorf("%+v", f.PassedOver)
	}
}

func TestTheRunsOfAnItem(t *testing.T) {
	p := newProject(t)
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Role: "plan"})
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 6, Role: "code"})
	p.wrote(event.Run, evidence.Run{Issue: "8", Epoch: 6, Role: "fix"})
	f := p.read(feed.Open(p.drive, p.env))
	for _, i := range f.Items {
		if runs := f.RunsOf(i); len(runs) != 1 {
			t.Errorf("%s: %+v", i.Name, runs)
		}
	}
	if runs := f.RunsOf(f.Find("7")[0]); runs[0].Row.Role != "code" {
		t.Errorf("%+v", runs)
	}
}

func TestTheInboxHasAnsweredQuestionsToo(t *testing.T) {
	p := newProject(t)
	desk := inbox.Open(p.drive.Project.Home(), p.env.Now, inbox.Hear{})
	for _, text := range []string{"Which store?", "Which colour?"} {
		if _, err := desk.Put(questions.Question{By: questions.Agent, Text: text, Options: []string{"a", "b"}}, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	p.now = p.now.Add(time.Hour)
	if _, err := desk.Answer("q1", "b", "a person"); err != nil {
		t.Fatal(err)
	}
	f := p.read(feed.Open(p.drive, p.env))
	if len(f.Inbox) != 2 || f.Inbox[0].Answer != "b" || !f.Inbox[0].Late || f.Inbox[0].AnsweredAt.IsZero() || len(f.Questions) != 1 || f.Questions[0].ID != "q2" {
		t.Errorf("%+v, waiting %+v", f.Inbox, f.Questions)
	}
}
