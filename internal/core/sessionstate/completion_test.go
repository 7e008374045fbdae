package sessionstate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warp/internal/core/budget"
)

// rows are histories, one letter for an iteration: p plateau, P plateau with a
// change, c change, n nothing, i an item completed, x a failed run, X one that
// claims a plateau, j and J a judge that says stop, doubtfully or surely, k one
// that says go on, f a judge that fails, g gates passed, G gates failed.
var rows = map[rune]Row{
	'p': {Plateau: true}, 'P': {Plateau: true, Changed: true}, 'c': {Changed: true}, 'n': {}, 'i': {Items: []string{"a"}},
	'x': {End: "crashed"}, 'X': {End: "timeout", Plateau: true},
	'j': {Changed: true, Judge: &Verdict{Stop: true, Confidence: 0.49}}, 'J': {Changed: true, Judge: &Verdict{Stop: true, Reason: "all is done", Confidence: 0.5}},
	'k': {Changed: true, Judge: &Verdict{Confidence: 1}}, 'f': {Changed: true, JudgeFailed: true}, 'g': {Changed: true, Gates: Pass}, 'G': {Changed: true, Gates: Fail},
}

func lived(t testing.TB, history string) *State {
	s := loop(t)
	for _, letter := range history {
		n, err := s.StartIteration(0, ten)
		ok(t, err)
		r := rows[letter]
		r.Iteration = n
		ok(t, s.CompleteIteration(0, r, budget.Amount{MicroUSD: 1e6, Tokens: 100}, at(1)))
	}
	return s
}

func TestDecide(t *testing.T) {
	none, some := 0, 3
	for _, c := range []struct {
		until   string
		bounds  Bounds
		history string
		queue   *int
		reason  string // "": it goes on
		why     string
	}{
		{"fixed 3", Bounds{}, "nn", nil, "", ""},
		{"fixed 3", Bounds{}, "nnn", nil, ReasonMaxIterations, "3 iterations"},
		{"fixed 3", Bounds{MaxIterations: 2}, "cc", nil, ReasonMaxIterations, "2 iterations"},
		{"fixed 2", Bounds{MaxIterations: 9}, "cc", nil, ReasonMaxIterations, ""},
		{"fixed", Bounds{MaxIterations: 2}, "cc", nil, ReasonMaxIterations, ""},
		{"fixed", Bounds{}, "ppppp", nil, "", ""},
		{"fixed", Bounds{}, strings.Repeat("c", DefaultMax-1), nil, "", ""},
		{"fixed", Bounds{}, strings.Repeat("c", DefaultMax), nil, ReasonMaxIterations, ""},
		{"fixed 100", Bounds{}, strings.Repeat("c", DefaultMax), nil, "", ""},

		{"plateau", Bounds{}, "p", nil, "", ""},
		{"plateau", Bounds{}, "pp", nil, ReasonPlateau, "2 iterations in a row"},
		{"plateau", Bounds{}, "pcp", nil, "", ""},
		{"plateau", Bounds{}, "pcpp", nil, ReasonPlateau, ""},
		{"plateau", Bounds{}, "pP", nil, "", ""},
		{"plateau", Bounds{}, "PPPP", nil, "", ""},
		{"plateau", Bounds{}, "pXp", nil, "", ""},
		{"plateau", Bounds{}, "nnnn", nil, "", ""},
		{"plateau 1", Bounds{}, "p", nil, "", ""}, // it waits for the second
		{"plateau 1", Bounds{}, "cp", nil, ReasonPlateau, "1 iteration in a row"},
		{"plateau 3", Bounds{}, "pp", nil, "", ""},
		{"plateau 3", Bounds{}, "ppp", nil, ReasonPlateau, ""},
		{"plateau", Bounds{MaxIterations: 1}, "p", nil, ReasonMaxIterations, ""},

		{"judge", Bounds{}, "kJ", nil, ReasonPlateau, "0.50: all is done"},
		{"judge", Bounds{}, "J", nil, "", ""},
		{"judge", Bounds{}, "kj", nil, "", ""},
		{"judge", Bounds{}, "kJc", nil, "", ""}, // it was not asked about the newest
		{"judge", Bounds{}, "kJf", nil, "", ""},
		{"judge", Bounds{}, "ffJ", nil, ReasonPlateau, ""},
		{"judge", Bounds{}, "fffJ", nil, "", ""},
		{"judge", Bounds{}, "ffkfJ", nil, ReasonPlateau, ""},
		{"judge", Bounds{}, "pppp", nil, "", ""},

		{"queue", Bounds{}, "c", &some, "", ""},
		{"queue", Bounds{}, "c", nil, "", ""},
		{"queue", Bounds{}, "c", &none, ReasonQueueEmpty, "empty"},
		{"queue", Bounds{}, "", &none, ReasonQueueEmpty, ""},
		{"queue work", Bounds{}, "c", &none, ReasonQueueEmpty, ""},
		{"queue issues:bug", Bounds{}, "c", &none, ReasonQueueEmpty, ""},
		{"queue beads", Bounds{}, "c", &none, ReasonBeadsEmpty, ""},
		{"fixed", Bounds{}, "c", &none, "", ""},

		{"gates", Bounds{}, "g", &none, "", ""},
		{"gates", Bounds{}, "gg", &none, ReasonGatesPassed, "2 times"},
		{"gates", Bounds{}, "gg", nil, ReasonGatesPassed, ""},
		{"gates", Bounds{}, "gg", &some, "", ""},
		{"gates", Bounds{}, "gGg", &none, "", ""},
		{"gates", Bounds{}, "gcg", &none, "", ""}, // they were not run in between
		{"gates 3", Bounds{}, "gg", &none, "", ""},
		{"gates 3", Bounds{}, "ggg", &none, ReasonGatesPassed, ""},

		{"fixed", Bounds{}, "xx", nil, "", ""},
		{"fixed", Bounds{}, "cxxx", nil, ReasonAgentError, "3 times"},
		{"fixed", Bounds{}, "xxcxx", nil, "", ""},
		{"fixed 1", Bounds{}, "x", nil, ReasonAgentError, "1 of 1 iteration had no result"},
		// It was told how many it is to do; others were told when to give up.
		{"fixed 2", Bounds{}, "xc", nil, ReasonAgentError, "1 of 2 iterations"},
		{"fixed 2", Bounds{}, "cx", nil, ReasonAgentError, "1 of 2 iterations"},
		{"plateau", Bounds{MaxIterations: 2}, "cx", nil, ReasonMaxIterations, ""},
		{"plateau", Bounds{MaxIterations: 2}, "xx", nil, ReasonAgentError, ""},
		{"fixed 4", Bounds{}, "cxxx", nil, ReasonAgentError, ""},

		{"fixed", Bounds{Most: budget.Amount{MicroUSD: 3e6}}, "cc", nil, "", ""},
		{"fixed", Bounds{Most: budget.Amount{MicroUSD: 3e6}}, "ccc", nil, ReasonBudget, "$3.00 of $3.00"},
		{"fixed", Bounds{Most: budget.Amount{Tokens: 200}}, "cc", nil, ReasonBudget, "200 of 200 tokens"},
		{"fixed", Bounds{Most: budget.Amount{Time: 2 * time.Minute}}, "c", nil, "", ""},
		{"fixed", Bounds{Most: budget.Amount{Time: 2 * time.Minute}}, "cc", nil, ReasonBudget, "2m0s of 2m0s"},
		{"fixed", Bounds{NoProgress: 3}, "nnpn", nil, ReasonBudget, "nothing changed in 4 iterations"},
		{"fixed", Bounds{NoProgress: 3}, "nncnn", nil, "", ""},
		{"fixed", Bounds{NoProgress: 3}, "nninn", nil, "", ""},

		{"queue", Bounds{NoProgress: 3}, "nnnn", nil, "", ""}, // each of its items has its own tries

		// Success counts before bounds, what was asked for before what it cost.
		{"plateau", Bounds{1, budget.Amount{MicroUSD: 1, Tokens: 1, Time: 1}, 1}, "pp", nil, ReasonPlateau, ""},
		{"queue", Bounds{1, budget.Amount{MicroUSD: 1, Tokens: 1, Time: 1}, 1}, "xxx", &none, ReasonQueueEmpty, ""},
		{"plateau", Bounds{3, budget.Amount{MicroUSD: 1, Tokens: 1, Time: 1}, 1}, "xxx", nil, ReasonAgentError, ""},
		{"plateau", Bounds{3, budget.Amount{MicroUSD: 1, Tokens: 1, Time: 1}, 1}, "nnn", nil, ReasonMaxIterations, ""},
		{"plateau", Bounds{9, budget.Amount{MicroUSD: 1, Tokens: 1, Time: 1}, 1}, "nnn", nil, ReasonBudget, "it has cost"},
	} {
		u, err := ParseUntil(c.until)
		ok(t, err)
		f := reread(t, lived(t, c.history)).Facts(0, at(99))
		f.Queue = c.queue
		d := Decide(u, c.bounds, f)
		if d.Stop != (c.reason != "") || d.Reason != c.reason || !strings.Contains(d.Why, c.why) || d.Stop && d.Why == "" {
			t.Errorf("%s, %+v after %q: %+v, want %q", c.until, c.bounds, c.history, d, c.reason)
		}
	}
}

func TestWhenAJudgeIsAsked(t *testing.T) {
	for history, want := range map[string]bool{"": false, "c": true, "cc": true, "ff": true, "fff": false, "fffc": false, "ffkf": true} {
		f := lived(t, history).Facts(0, ten)
		if got := WantsJudge(Until{Kind: Judge}, f); got != want {
			t.Errorf("%q: %v", history, got)
		}
		if WantsJudge(Until{Kind: Plateau}, f) || WantsJudge(Until{Kind: Judge, Min: 9}, f) {
			t.Errorf("%q: another strategy, or too early", history)
		}
	}
}

func anyUntil(t *rapid.T) Until {
	return Until{
		Kind: rapid.SampledFrom([]Kind{Fixed, Plateau, Judge, Queue, Gates}).Draw(t, "kind"),
		N:    rapid.IntRange(0, 5).Draw(t, "n"), Min: rapid.IntRange(0, 6).Draw(t, "min"),
	}
}

func anyRow(t *rapid.T) Row {
	return rows[rapid.SampledFrom([]rune("pPcnixXjJkfgG")).Draw(t, "row")]
}

// A loop that is asked before every iteration ends by its bound, and by itself
// not before the least number of iterations, nor for what another stage did.
func TestDecisionsAreBoundAndTheirOwn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		u, limit := anyUntil(rt), rapid.IntRange(1, 12).Draw(rt, "max")
		alone, among := pipeline(t, "other", "mine"), pipeline(t, "other", "mine")
		ok(t, alone.StartStage(1, ten))
		ok(t, among.StartStage(1, ten))
		for n := 0; ; n++ {
			d := Decide(u, Bounds{MaxIterations: limit}, alone.Facts(1, ten))
			if same := Decide(u, Bounds{MaxIterations: limit}, among.Facts(1, ten)); same != d {
				rt.Fatalf("%+v alone, %+v beside another stage", d, same)
			}
			early := (u.Kind == Plateau || u.Kind == Judge) && n < u.min()
			if d.Stop && d.Reason == ReasonPlateau && (early || u.Kind == Plateau && n < u.row()) {
				rt.Fatalf("%s ended after %d: %+v", u, n, d)
			}
			if d.Stop {
				break
			}
			if n == limit {
				rt.Fatalf("%s goes on after %d", u, n)
			}
			for range rapid.IntRange(0, 3).Draw(rt, "others") {
				iterate(t, among, 0, anyRow(rt))
			}
			r := anyRow(rt)
			iterate(t, alone, 1, r)
			iterate(t, among, 1, r)
		}
		if diff := cmp.Diff(alone.Facts(1, ten), among.Facts(1, ten)); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// Many iterations shorter than a second take the time they take, not one second,
// or half of one, each.
func TestShortIterationsAddUp(t *testing.T) {
	s := loop(t)
	now := ten
	for range 1000 {
		n, err := s.StartIteration(0, now)
		ok(t, err)
		now = now.Add(30 * time.Millisecond)
		ok(t, s.CompleteIteration(0, Row{Iteration: n}, budget.Amount{}, now))
	}
	if got := s.Facts(0, now).Elapsed; got < 29*time.Second || got > 31*time.Second {
		t.Error(got)
	}
}
