package livestate_test

import (
	"encoding/json"
	"fmt"
	"math"
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

// What stands in a file is read as an engine would have written it, even if an agent did.
func TestAFileOfOthersIsBounded(t *testing.T) {
	long := strings.Repeat("w", 10_000)
	s := livestate.State{Title: long, Tokens: math.MaxInt64, MicroUSD: -5, Wait: &livestate.Wait{Why: long}, Caps: livestate.Caps{MicroUSD: math.MinInt64, Seconds: 1e300}}
	for i := range 500 {
		s.Criteria = append(s.Criteria, livestate.Criterion{ID: long, Text: long})
		s.Agents = append(s.Agents, livestate.Agent{Role: long, Tool: long, Said: long, Tokens: math.MaxInt64, MicroUSD: -1})
		s.Windows = append(s.Windows, livestate.Window{Name: fmt.Sprint(i, long), Percent: 1e300})
		s.Recent = append(s.Recent, livestate.Line{Kind: long, Text: fmt.Sprint(i, long)})
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := livestate.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Criteria) != 200 || len(got.Agents) != 200 || len(got.Windows) != 10 || len(got.Recent) != 40 || !strings.HasPrefix(got.Recent[39].Text, "499") {
		t.Errorf("%d criteria, %d agents, %d windows, %d lines", len(got.Criteria), len(got.Agents), len(got.Windows), len(got.Recent))
	}
	sum := int64(0)
	for _, a := range got.Agents {
		if sum += a.Tokens; sum <= 0 || a.MicroUSD != 0 || len(a.Role)+len(a.Tool)+len(a.Said) > 1200 {
			t.Fatalf("%d tokens in all, %+v", sum, a)
		}
	}
	if len(got.Title)+len(got.Wait.Why)+len(got.Criteria[0].ID) > 1200 || got.MicroUSD != 0 || got.Caps.MicroUSD != 0 || got.Caps.Seconds > 1e18 || got.Windows[0].Percent > 1000 {
		t.Errorf("%+v", got.Caps)
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
