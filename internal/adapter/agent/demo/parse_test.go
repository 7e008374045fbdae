package demo

import (
	"strings"
	"testing"
	"time"

	"warp/internal/engine/agent"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func parseAll(text string, exit int, stderr string) (agent.Result, []agent.Event) {
	p := &parser{now: func() time.Time { return noon }}
	var all []agent.Event
	for l := range strings.SplitSeq(text, "\n") {
		all = append(all, p.Line([]byte(l))...)
	}
	return p.End(exit, stderr), all
}

func TestEnds(t *testing.T) {
	done := `{"type":"result","end":"done","text":"ok","result":{"stop":true}}`
	for _, c := range []struct {
		text   string
		exit   int
		stderr string
		want   agent.End
		why    string
	}{
		{done, 0, "", agent.Done, ""},
		{done, 1, "boom\n", agent.Crashed, "it ended with exit code 1: boom"},
		{"", 0, "", agent.Unusable, "it ended without a result"},
		{"", 137, "", agent.Crashed, "it ended with exit code 137"},
		{`{"type":"result","end":"max_turns"}`, 0, "", agent.MaxTurns, "the turns are used up"},
		{`{"type":"result","end":"yes","result":{"stop":true}}`, 0, "", agent.Unusable, `its result ends with "yes", which means nothing`},
		{`{"type":"result","result":{"stop":true}}`, 0, "", agent.Unusable, `its result ends with "", which means nothing`},
		{`{"type":"limit","text":"full","retry_after":60}`, 1, "", agent.Limited, "full"},
		{`{"type":"limit","text":"full"}` + "\n" + done, 0, "", agent.Done, ""},
		{`{"type":"error","text":"broken"}`, 1, "", agent.Crashed, "broken"},
	} {
		if r, _ := parseAll(c.text, c.exit, c.stderr); r.End != c.want || r.Why != c.why {
			t.Errorf("%s: %s %q, want %s %q", c.text, r.End, r.Why, c.want, c.why)
		}
	}
}

func TestALimitSaysWhenItEnds(t *testing.T) {
	for text, want := range map[string]time.Time{
		`{"type":"limit","retry_after":90}`:   noon.Add(90 * time.Second),
		`{"type":"limit","retry_after":1e99}`: noon.Add(longestLimit),
		`{"type":"limit","retry_after":-5}`:   {},
		`{"type":"limit"}`:                    {},
	} {
		if r, _ := parseAll(text, 1, ""); r.End != agent.Limited || !r.Reset.Equal(want) {
			t.Errorf("%s: %s until %s", text, r.End, r.Reset)
		}
	}
}

func TestWhatWasSpentStaysSpent(t *testing.T) {
	r, events := parseAll(`{"type":"usage","usage":{"input_tokens":10,"output_tokens":5,"cost_usd":0.25,"turns":2}}
{"type":"usage","usage":{"input_tokens":-10,"output_tokens":1,"cost_usd":-4,"turns":1}}`, 0, "")
	want := agent.Usage{Input: 10, Output: 5, MicroUSD: 250_000, Priced: true, Turns: 2}
	if r.Usage != want || len(events) != 2 || *events[1].Usage != want {
		t.Errorf("%+v", r.Usage)
	}
	if r, _ := parseAll(`{"type":"usage","usage":{"cost_usd":1e300}}`, 0, ""); r.Usage.MicroUSD < 1e15 {
		t.Errorf("too much for a number is %d", r.Usage.MicroUSD)
	}
}

func TestDenialsAreBounded(t *testing.T) {
	r, _ := parseAll(strings.Repeat(`{"type":"tool","tool":"x","denied":true}`+"\n", 2*maxDenials), 0, "")
	if len(r.Denials) != maxDenials {
		t.Error(len(r.Denials))
	}
}

func TestEventsTellTheSession(t *testing.T) {
	if _, events := parseAll(`{"type":"text","session":"s"}`, 0, ""); len(events) != 1 || events[0].Session != "s" {
		t.Errorf("%+v", events)
	}
}

func FuzzParser(f *testing.F) {
	f.Add("{\"type\":\"text\",\"text\":\"hi\",\"session\":\"s\"}\n{\"type\":\"result\",\"end\":\"done\",\"result\":{}}", 0)
	f.Add(`{"type":"usage","usage":{"input_tokens":-1,"cost_usd":-1e300,"turns":-2}}`, 1)
	f.Add(`{"type":"limit","retry_after":1e308}`, 1)
	f.Add("{\"type\":\"error\",\"class\":\"?\"}\n\xff\xfe\n{", 2)
	f.Add(`{"type":"tool","tool":"x","denied":true}`, 0)
	f.Fuzz(func(t *testing.T, text string, exit int) {
		r, events := parseAll(text, exit, text)
		if r.End == "" {
			t.Error("a run without an end")
		}
		if r.End == agent.Done && (exit != 0 || !strings.Contains(text, "done")) {
			t.Errorf("done with exit code %d", exit)
		}
		if r.End != agent.Done && r.JSON != nil {
			t.Error("an answer from a run that did not end well")
		}
		if r.End == agent.Limited && !r.Reset.IsZero() && (r.Reset.Before(noon) || r.Reset.After(noon.Add(longestLimit))) {
			t.Errorf("a limit until %s", r.Reset)
		}
		var last agent.Usage
		for _, e := range events {
			if u := e.Usage; u != nil {
				if u.Input < last.Input || u.Output < last.Output || u.MicroUSD < last.MicroUSD || u.Turns < last.Turns {
					t.Errorf("a run became cheaper: %+v, then %+v", last, *u)
				}
				last = *u
			}
		}
		if r.Usage.Input < last.Input || r.Usage.MicroUSD < last.MicroUSD {
			t.Errorf("%+v after %+v", r.Usage, last)
		}
	})
}
