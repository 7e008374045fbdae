package sessionstate

import (
	"strings"
	"testing"
)

func TestParseUntil(t *testing.T) {
	for text, want := range map[string]Until{
		"fixed":                   {Kind: Fixed},
		"fixed 5":                 {Kind: Fixed, N: 5},
		"fixed:5":                 {Kind: Fixed, N: 5},
		"Fixed = 5":               {Kind: Fixed, N: 5},
		" plateau ":               {Kind: Plateau},
		"plateau 3":               {Kind: Plateau, N: 3},
		"PLATEAU=3":               {Kind: Plateau, N: 3},
		"judge":                   {Kind: Judge},
		"queue":                   {Kind: Queue},
		"queue beads":             {Kind: Queue, Source: Beads},
		"queue:beads":             {Kind: Queue, Source: Beads},
		"queue=work":              {Kind: Queue, Source: Work},
		"queue issues:bug":        {Kind: Queue, Source: Issues, Label: "bug"},
		"queue:issues:bug":        {Kind: Queue, Source: Issues, Label: "bug"},
		"queue issues Bug: ui":    {Kind: Queue, Source: Issues, Label: "Bug: ui"},
		"queue issues=type:bug=1": {Kind: Queue, Source: Issues, Label: "type:bug=1"},
		"beads":                   {Kind: Queue, Source: Beads},
		"issues:bug":              {Kind: Queue, Source: Issues, Label: "bug"},
		"gates":                   {Kind: Gates},
		"gates 3":                 {Kind: Gates, N: 3},
	} {
		got, err := ParseUntil(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
		if again, err := ParseUntil(got.String()); err != nil || again != got {
			t.Errorf("%q is written as %q, which is %+v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"":               Strategies,
		"forever":        Strategies,
		"5":              Strategies,
		"fixed 0":        "from 1 to",
		"fixed -1":       "from 1 to",
		"fixed five":     "from 1 to",
		"fixed 5 6":      "from 1 to",
		"plateau 2.5":    "from 1 to",
		"gates 99999999": "from 1 to",
		"judge 0.9":      "takes no argument",
		"queue redis":    "beads, issues:LABEL, work",
		"queue beads x":  "no further argument",
		"queue issues":   "queue issues:LABEL",
		"issues:":        "queue issues:LABEL",
	} {
		if got, err := ParseUntil(text); err == nil || !strings.Contains(err.Error(), want) || got != (Until{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func FuzzParseUntil(f *testing.F) {
	for _, s := range []string{"fixed 5", "queue issues: a", "issues:=x", "beads=", "queue :=: work"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseUntil(text)
		if err != nil {
			return
		}
		if again, err := ParseUntil(u.String()); err != nil || again != u {
			t.Fatalf("%q is %+v, written as %q, which is %+v, %v", text, u, u, again, err)
		}
	})
}

func TestWithoutAStrategy(t *testing.T) {
}
