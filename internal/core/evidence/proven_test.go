package evidence

import (
	"testing"

	"warp/internal/core/redfirst"
)

func TestHowFarACriterionIsProven(t *testing.T) {
	contract := func(kinds ...redfirst.Kind) Check {
		return Check{ID: "AC-01", Stage: CheckContract, Kinds: kinds, Contract: "Div(6, 3) is 2"}
	}
	red := Check{ID: "AC-01", Stage: CheckBefore, Outcome: redfirst.Red, Passed: true}
	green := Check{ID: "AC-01", Stage: CheckBefore, Outcome: redfirst.Green, Passed: true}
	good, bad := Check{ID: "AC-01", Stage: CheckWork, Passed: true, Red: true}, Check{ID: "AC-01", Stage: CheckWork, Why: "it fails"}
	seen := good
	seen.Seen = true
	kept := Check{ID: "AC-01", Stage: CheckWork, Passed: true}
	lost := Check{ID: "AC-01", Stage: CheckLost, Why: "it wavers"}
	cannot := contract(redfirst.Cannot)
	cannot.Why = "needs a printer"
	for want, rows := range map[string][]Check{
		"":                                nil,
		"not proven yet":                  {contract(redfirst.New), red},
		"proven":                          {contract(redfirst.New), red, bad, good},
		"not met":                         {contract(redfirst.New), red, good, bad},
		"proven, seen":                    {contract(redfirst.Shape), red, seen},
		"kept":                            {contract(redfirst.Keeps), green, kept},
		"read by the verifier":            {contract(redfirst.Read)},
		"read by the verifier: it wavers": {contract(redfirst.New), red, lost},
		"not provable: needs a printer":   {cannot},
	} {
		b := &Book{}
		for i, r := range rows {
			r.Issue = "7"
			b.Checks = append(b.Checks, Entry[Check]{N: i + 1, Row: r})
		}
		have := b.provenBy()["AC-01"]
		if have.Words() != want {
			t.Errorf("%q, want %q", have.Words(), want)
		}
		holds := want == "read by the verifier: it wavers" || want == "not provable: needs a printer" || want == "not proven yet"
		if have.Unproven() != holds {
			t.Errorf("%q: held back: %t", want, !holds)
		}
	}
	b, s := work()
	b.Checks = one(Check{Issue: "42", ID: "AC-01", Stage: CheckContract, Kinds: []redfirst.Kind{redfirst.New}, Contract: "x", Decided: "the message"})
	contains(t, Progress(b, s, ""), "not proven yet; its contract decides: the message")
	if a := b.Account("42"); a.Criteria[0].Proven == nil || a.Criteria[1].Proven != nil || a.Criteria[0].Brief()[2].Label != "proof" {
		t.Errorf("%+v", a.Criteria)
	}
}
