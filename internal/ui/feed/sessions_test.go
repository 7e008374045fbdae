package feed_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
)

func (p *project) session(name string, change func(*sessionstate.State)) {
	p.Helper()
	_, err := documents.OpenSession(p.drive.Store(), name).Update(func(tx *durable.Tx[sessionstate.State]) error {
		if tx.Doc == nil {
			s, err := sessionstate.Begin(sessionstate.Beginning{Session: name}, p.now)
			if err != nil {
				return err
			}
			tx.Doc = s
		}
		change(tx.Doc)
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
}

func TestWhereASessionStands(t *testing.T) {
	p := newProject(t)
	r := feed.Open(p.drive, p.env)
	p.session("auth", func(*sessionstate.State) {})
	p.wrote(event.Run, evidence.Run{Work: "session auth", MicroUSD: 100})
	i := only(t, p.read(r))
	if i.Kind != feed.Loop || i.Name != "auth" || i.State != feed.Interrupted || i.Do != "warp resume auth" || i.Cost.MicroUSD != 100 {
		t.Errorf("%+v", i)
	}
	_, _, err := p.drive.Store().Acquire("auth", durable.Process{PID: os.Getpid()}, func(int) (string, bool) { return "", true })
	if err != nil {
		t.Fatal(err)
	}
	if i := only(t, p.read(r)); i.State != feed.Running || i.PID != os.Getpid() || i.Doing != "iteration 1" {
		t.Errorf("%+v", i)
	}
	live := filepath.Join(p.drive.Store().Dir(), filepath.FromSlash(livestate.File("auth")))
	p.must(os.MkdirAll(filepath.Dir(live), 0o755))
	for until, want := range map[time.Time]feed.State{p.now.Add(time.Hour): feed.Waiting, p.now.Add(-time.Hour): feed.Running, {}: feed.Running} {
		text, err := json.Marshal(livestate.State{PID: os.Getpid(), Wait: &livestate.Wait{Why: "a usage limit", Until: until}})
		p.must(err)
		p.must(os.WriteFile(live, text, 0o600))
		if i := only(t, p.read(r)); i.State != want || want == feed.Waiting && (i.Why != "a usage limit" || !i.Until.Equal(until)) {
			t.Errorf("it waits until %v: %+v", until, i)
		}
	}
	p.must(os.Remove(live))
	p.session("auth", func(s *sessionstate.State) { _ = s.End(sessionstate.ReasonStopped, "it was stopped", p.now) })
	for range 2 { // the second time from memory
		if i := only(t, p.read(r)); i.State != feed.Stopped || i.PID != 0 || i.Do != "warp resume auth" {
			t.Errorf("%+v", i)
		}
	}
	p.session("auth", func(s *sessionstate.State) { _ = s.Resume() })
	if i := only(t, p.read(r)); i.State != feed.Running {
		t.Errorf("what was resumed is not over: %+v", i)
	}
}
