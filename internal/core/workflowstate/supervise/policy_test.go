package supervise

import (
	"testing"

	"pgregory.net/rapid"
)

// Every type with every action: by its severity, and by an agent that is more
// careful than the table.
func TestPolicy(t *testing.T) {
	for _, typ := range Types() {
		for _, c := range []struct {
			severity Severity
			proposed Action
			want     Action
		}{
			{None, "", Pass}, {Low, "", AutoFix}, {High, "", RePlan}, {Critical, "", RePlan},
			{None, AutoFix, AutoFix}, {None, RePlan, RePlan}, {Low, RePlan, RePlan},
			{Low, Pass, AutoFix}, {High, Pass, RePlan}, {High, AutoFix, RePlan}, {Critical, Pass, RePlan},
			{"disaster", "", RePlan}, {None, "shrug", RePlan}, {Low, "shrug", RePlan},
		} {
			if got := Decide(Conflict{Type: typ, Severity: c.severity, Proposed: c.proposed}); got != c.want {
				t.Errorf("%s, %q, proposed %q: %s, want %s", typ, c.severity, c.proposed, got, c.want)
			}
		}
	}
}

func TestTheGravestConflictDecides(t *testing.T) {
	low, high := Conflict{Type: Pattern, Severity: Low}, Conflict{Type: API, Severity: High}
	critical := Conflict{Type: Security, Severity: Critical}
	for _, c := range []struct {
		conflicts []Conflict
		want      Action
		by        Type
	}{
		{nil, Pass, ""},
		{[]Conflict{{Type: Pattern}}, Pass, Pattern},
		{[]Conflict{low}, AutoFix, Pattern},
		{[]Conflict{low, high}, RePlan, API},
		{[]Conflict{high, critical, low}, RePlan, Security},
		{[]Conflict{{Severity: High}, low}, RePlan, ""},
		{[]Conflict{high}, RePlan, API},
	} {
		r := Rule(c.conflicts)
		if r.Action != c.want || r.Conflict.Type != c.by {
			t.Errorf("%v: %+v", c.conflicts, r)
		}
	}
}

func TestAnAgentNeverMakesItLessCareful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Conflict{Type: rapid.SampledFrom(Types()).Draw(t, "type"), Severity: rapid.SampledFrom([]Severity{None, Low, High, Critical, "x"}).Draw(t, "severity")}
		alone := Decide(c)
		c.Proposed = rapid.SampledFrom([]Action{"", Pass, AutoFix, RePlan, "x"}).Draw(t, "proposed")
		if got := Decide(c); rank(byCare, got) < rank(byCare, alone) || rank(byCare, got) > 2 {
			t.Fatalf("%+v: %s, and %s without its word", c, got, alone)
		}
	})
}

// An agent's words count whatever their case; what is no word of ours is grave.
func TestWords(t *testing.T) {
	for words, want := range map[string]Severity{"LOW": Low, "Critical": Critical, "": None, "info": None, "None": None, "awful": High} {
		if got := SeverityOf(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
	if TypeOf("Security") != Security || TypeOf("smell") != Pattern {
		t.Error(TypeOf("Security"), TypeOf("smell"))
	}
}
