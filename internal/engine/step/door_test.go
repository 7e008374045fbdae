package step

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

// judged is a verifier's result about some criteria.
func judged(t *testing.T, ids ...string) *lossless.Value {
	t.Helper()
	var list []string
	for _, id := range ids {
		list = append(list, `{"id":"`+id+`","met":true}`)
	}
	v, err := lossless.Parse([]byte(`{"criteria":[` + strings.Join(list, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// pair is a chain of two agents.
type pair struct{ *desk }

func (p pair) HasOther(name string) bool { return name == "fake" }

func toVerify(ids ...string) Step {
	return Step{Name: "verify", Task: agent.Task{Role: agent.Verify, Prompt: "judge", ReadOnly: true, Criteria: ids}}
}

// What an answer lacks is asked for in the same conversation; what it said stands. All is one answer,
// with what all of it cost, also for an engine that comes after.
func TestOnlyWhatIsMissingIsAskedFor(t *testing.T) {
	d := newDesk(t)
	d.does = func(task agent.Task) (agent.Result, error) {
		r := agent.Result{Agent: "fake", End: agent.Done, Session: "s1", Usage: agent.Usage{MicroUSD: 1, Priced: true}, JSON: judged(t, "ac-1")}
		if len(d.asked) == 2 {
			r.JSON = judged(t, "2")
		}
		return r, nil
	}
	a := d.run(d.taker(), toVerify("AC-01", "AC-02"))
	again := d.run(d.taker(), toVerify("AC-01", "AC-02"))
	if string(a.Result) != `{"criteria":[{"id":"AC-01","met":true},{"id":"AC-02","met":true}]}` || a.Unread != "" || a.Usage.MicroUSD != 2 || string(again.Result) != string(a.Result) || again.Usage.MicroUSD != 2 {
		t.Errorf("%s, %+v; later %+v", a.Result, a, again)
	}
	if len(d.asked) != 2 || d.asked[1].Session != "s1" || !slices.Equal(d.asked[1].Criteria, []string{"AC-02"}) || strings.Contains(d.asked[1].Prompt, "judge") {
		t.Errorf("%+v", d.asked)
	}
	rows := d.rows
	if len(rows) != 2 || rows[0].Unread != "it has no verdict on AC-02" || rows[1].Unread != "" || !rows[1].Step.Again {
		t.Errorf("%+v", rows)
	}
	if row := rows[0].Evidence(strings.ToUpper); row.Unread != "IT HAS NO VERDICT ON AC-02" || row.Again {
		t.Errorf("%+v", row)
	}
}

// One that stays unusable is asked of another agent if there is one, which knows nothing of it; else
// it says so.
func TestWhoIsAskedNext(t *testing.T) {
	for _, c := range []struct {
		other  bool
		asked  int
		unread bool
	}{{true, 3, false}, {false, 2, true}} {
		d := newDesk(t)
		d.does = func(task agent.Task) (agent.Result, error) {
			r := agent.Result{Agent: "fake", End: agent.Done, Session: "s1", Text: "All is well.", Invalid: "there is none"}
			if task.Except == "fake" {
				r = agent.Result{Agent: "other", End: agent.Done, JSON: judged(t, "AC-01")}
			}
			return r, nil
		}
		tk := d.taker()
		if c.other {
			tk.Agents = func(string) (Agents, error) { return pair{d}, nil }
		}
		a := d.run(tk, toVerify("AC-01"))
		if len(d.asked) != c.asked || (a.Unread != "") != c.unread {
			t.Fatalf("%+v: asked %d times, %+v", c, len(d.asked), a)
		}
		if second := d.asked[1]; second.First != "fake" || second.Session != "s1" || strings.Contains(second.Prompt, "judge") || !strings.Contains(second.Prompt, "could not be used") {
			t.Errorf("%+v", second)
		}
		if c.other && (d.asked[2].Session != "" || !strings.HasPrefix(d.asked[2].Prompt, "judge\n")) {
			t.Errorf("%+v", d.asked[2])
		}
	}
}

// Where no conversation can be continued, all is said again. A verifier that crashed has said
// nothing; a coder that crashed has failed.
func TestARunThatEndedEarly(t *testing.T) {
	for role, want := range map[agent.Role]int{agent.Verify: 2, agent.Code: 1} {
		d := newDesk(t)
		d.does = func(agent.Task) (agent.Result, error) {
			return agent.Result{Agent: "fake", End: agent.Crashed, Why: "it fell over", Session: "s1"}, nil
		}
		s := toVerify("AC-01")
		s.Role, s.ReadOnly = role, role == agent.Verify
		a := d.run(d.taker(), s)
		if len(d.asked) != want || want == 2 && (!strings.HasPrefix(d.asked[1].Prompt, "judge\n") || d.asked[1].Session != "" || !strings.Contains(a.Unread, "it fell over")) {
			t.Errorf("%s: asked %d times, %+v", role, len(d.asked), a)
		}
	}
}

// A run that has to change something and did not is shown its own words.
func TestAnAgentThatChangedNothing(t *testing.T) {
	for said, want := range map[string]int{"": 2, `{"summary":"done"}`: 2, `{"done":["AC-02"]}`: 2, `{"done":["AC-01"]}`: 1, `{"objection":"no"}`: 1, `{"decision":{"question":"which?"}}`: 1} {
		d := newDesk(t)
		tk := d.guarded()
		d.does = func(agent.Task) (agent.Result, error) {
			r := agent.Result{Agent: "fake", End: agent.Done, Text: "Which one do you want?", Invalid: "there is none"}
			if said != "" {
				v, err := lossless.Parse([]byte(said))
				r.JSON, r.Invalid = v, ""
				d.must(err)
			}
			return r, nil
		}
		s := named("code")
		if s.Works, s.Criteria = true, []string{"AC-01"}; strings.Contains(said, "objection") {
			s.Role = agent.Fix // before that, there is no verdict to object to
		}
		a := d.run(tk, s)
		if len(d.asked) != want || (a.Unread == Idle) != (want == 2) {
			t.Errorf("%s: asked %d times, %+v", said, len(d.asked), a)
		}
		if want == 2 && !strings.Contains(d.asked[1].Prompt, "Which one do you want?") {
			t.Error(d.asked[1].Prompt)
		}
	}
}

// Beside the whole task an agent is shown little of its own words; where it knows the task, more.
func TestOwnWordsLeaveRoomForTheTask(t *testing.T) {
	for session, most := range map[string]int{"": 1_100, "s-1": 2_100} {
		d := newDesk(t)
		tk := d.guarded()
		d.does = func(agent.Task) (agent.Result, error) {
			return agent.Result{Agent: "fake", End: agent.Done, Session: session, Text: strings.Repeat("words ", 1000) + "Which one?", Invalid: "there is none"}, nil
		}
		s := named("code")
		s.Works, s.Criteria = true, []string{"AC-01"}
		d.run(tk, s)
		again := strings.Replace(d.asked[1].Prompt, s.Prompt, "", 1)
		if len(again) > most || len(again) < most-700 || !strings.Contains(again, "Which one?") {
			t.Errorf("session %q: %d characters\n%s", session, len(again), again)
		}
	}
}

// An engine that was killed between the two goes on with the second.
func TestAKillBetweenTheTwo(t *testing.T) {
	d := newDesk(t)
	d.does = func(agent.Task) (agent.Result, error) {
		if len(d.asked) == 2 {
			return agent.Result{}, errBroken
		}
		r := agent.Result{Agent: "fake", End: agent.Done, JSON: judged(t)}
		if len(d.asked) == 3 {
			r.JSON = judged(t, "AC-01")
		}
		return r, nil
	}
	if _, err := d.taker().Run(t.Context(), toVerify("AC-01")); err == nil {
		t.Fatal("it was to be killed")
	}
	if a := d.run(d.taker(), toVerify("AC-01")); a.Unread != "" || len(d.asked) != 3 || !strings.Contains(d.asked[2].Prompt, "no verdict on AC-01") {
		t.Errorf("asked %d times, %+v", len(d.asked), a)
	}
}

// A question in prose reaches no one, also beside work that was done: it is shown to its agent, and
// then said.
func TestAQuestionBesideWork(t *testing.T) {
	d := newDesk(t)
	d.does = func(agent.Task) (agent.Result, error) {
		return agent.Result{Agent: "fake", End: agent.Done, Session: "s1", Text: "I did half. Which one do you want?", Invalid: "there is none"}, nil
	}
	s := named("code")
	s.Works = false
	a := d.run(d.taker(), s)
	if a.Unread != Asks || len(d.asked) != 2 || strings.Contains(d.asked[1].Prompt, "changed nothing") || !strings.Contains(d.asked[1].Prompt, "Which one do you want?") || !strings.HasPrefix(d.asked[1].Whole, "code\n") {
		t.Errorf("asked %d times, %+v\n%s", len(d.asked), a, d.asked[1].Prompt)
	}
}

// Nor does one in the summary, unless it is asked as a decision, too.
func TestAQuestionInTheSummary(t *testing.T) {
	for result, want := range map[string]int{
		`{"summary": "It is done. Would you rather have a list? I can change it."}`:         2,
		`{"summary": "Would you rather have a list?", "decision": {"question": "A list?"}}`: 1,
		`{"summary": "The README answers \"Which flags were skipped?\" now."}`:              1,
	} {
		v, err := lossless.Parse([]byte(result))
		if err != nil {
			t.Fatal(err)
		}
		d := newDesk(t)
		d.does = func(agent.Task) (agent.Result, error) {
			return agent.Result{Agent: "fake", End: agent.Done, Session: "s1", JSON: v}, nil
		}
		s := named("code")
		s.Works = false
		d.run(d.taker(), s)
		if len(d.asked) != want {
			t.Errorf("%s: asked %d times", result, len(d.asked))
		}
	}
}
