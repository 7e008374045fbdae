package livestate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/livestate"
)

var now = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

func TestWhatAnEngineDoesIsReadAgain(t *testing.T) {
	s := livestate.State{Name: "drive", PID: 7, Title: "Add a greeting"}
	s.Do(now, "coding")
	s.Do(now.Add(time.Minute), "coding")
	s.Begin(livestate.Agent{ID: 1, Role: "coder", Since: now})
	s.Begin(livestate.Agent{ID: 2, Role: "verifier", Since: now})
	s.Update(1, func(a *livestate.Agent) { a.Tool, a.Tokens = "Edit", 12 })
	s.Update(3, func(*livestate.Agent) { t.Error("there is no such run") })
	s.End(2)
	s.Set(livestate.Window{Name: "five_hour", Percent: 1})
	s.Set(livestate.Window{Name: "five_hour", Percent: 40})
	s.Say(now, "test", "")
	s.Say(now, "test", "passed")
	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := livestate.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Since.Equal(now) || len(got.Agents) != 1 || got.Agents[0].Tool != "Edit" || len(got.Windows) != 1 || got.Windows[0].Percent != 40 || len(got.Recent) != 1 {
		t.Errorf("%s", text)
	}
	if _, err := livestate.Parse(text[:len(text)/2]); err == nil {
		t.Error("half a file was read")
	}
}

func TestMuchIsShownInLittle(t *testing.T) {
	long := strings.Repeat("words ", 1<<20)
	s := livestate.State{Name: "drive", Title: long, Doing: long}
	for i := range 1000 {
		s.Say(now, "said", long)
		s.Criteria = append(s.Criteria, livestate.Criterion{ID: fmt.Sprint(i), Text: long})
		s.Begin(livestate.Agent{ID: i})
		s.Update(i, func(a *livestate.Agent) { a.Said, a.Tool = long, long })
	}
	text, err := s.Encode()
	if err != nil || len(text) > livestate.MaxSize {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if len(s.Criteria[0].Text) != len(long) {
		t.Error("the state itself was cut")
	}
}

func TestHeadlines(t *testing.T) {
	if f := livestate.File("warp-drive"); f != "state/live/warp-drive.json" {
		t.Error(f)
	}
	s := livestate.State{}
	s.Do(now, "coding")
	if h := s.Headline(); h != "coding" {
		t.Error(h)
	}
	s.Begin(livestate.Agent{ID: 1})
	s.Update(1, func(a *livestate.Agent) { a.Tool = "Edit" })
	if h := s.Headline(); h != "coding: Edit" {
		t.Error(h)
	}
	s.Wait = &livestate.Wait{Why: "a limit"}
	if h := s.Headline(); h != "waiting: a limit" {
		t.Error(h)
	}
}
