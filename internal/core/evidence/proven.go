package evidence

import (
	"slices"

	"warp/internal/core/redfirst"
)

// Stages of the proof of a criterion.
const (
	CheckContract = "contract" // its contract was written, or amended
	CheckBefore   = "before"   // its check ran on the stub or the base
	CheckWork     = "work"     // on the work
	CheckSettled  = "settled"  // the verifier decided what is wrong: Why begins with it
	CheckLost     = "lost"     // its check does not count: a reader judges
	CheckJoining  = "joining"  // its check is about to join: from here on it may be found
	CheckJoined   = "joined"   // its check joined the commit of its chunk, as File

	CheckMetBefore = "met_before" // coder, verifier and a check that passed before the work say so
)

// Proven is how far a test that somebody else wrote proves a criterion.
type Proven struct {
	// How is proven, kept, read, not_provable, met_before or not_met; "": its check has not run on the
	// work.
	How      string          `json:"how"`
	Kinds    []redfirst.Kind `json:"kinds"`
	Contract string          `json:"contract,omitempty"`
	Decided  string          `json:"decided,omitempty"`
	Seen     bool            `json:"seen,omitempty"`
	Red      bool            `json:"red_before,omitempty"` // it failed on the stub or the base
	Why      string          `json:"why,omitempty"`
	Lost     bool            `json:"lost,omitempty"` // it had a check, which does not count
	Agent    string          `json:"agent,omitempty"`
	File     string          `json:"file,omitempty"` // the test of the project that its check became
}

// How a criterion can be proven.
const (
	ByCheck     = "proven"
	ByKeeping   = "kept"
	ByReading   = "read"
	NotProvable = "not_provable"
	BeforeWork  = "met_before"
	NotMet      = "not_met"
)

// after returns the proof after another step of it.
func (p *Proven) after(c Check) *Proven {
	n := Proven{}
	if p != nil {
		n = *p
	}
	switch c.Stage {
	case CheckContract:
		n = Proven{Kinds: c.Kinds, Contract: c.Contract, Decided: c.Decided, Seen: c.Seen, Why: c.Why, Agent: c.Agent}
		switch runs := n.is(redfirst.New) || n.is(redfirst.Keeps) || n.is(redfirst.Shape); {
		case runs:
		case n.is(redfirst.Cannot):
			n.How = NotProvable
		default:
			n.How = ByReading
		}
	case CheckBefore:
		n.Red = c.Passed && c.Outcome == redfirst.Red
	case CheckJoined:
		n.File = c.File
	case CheckMetBefore:
		n.How, n.Lost = BeforeWork, false
	case CheckLost:
		n.How, n.Why, n.Lost = ByReading, c.Why, true
	case CheckWork:
		n.Why, n.Red, n.Seen = c.Why, n.Red || c.Red, n.Seen || c.Seen
		switch {
		case !c.Passed:
			n.How = NotMet
		case n.Red:
			n.How = ByCheck
		default:
			n.How = ByKeeping
		}
	}
	return &n
}

func (p *Proven) is(k redfirst.Kind) bool { return slices.Contains(p.Kinds, k) }

// Words says it to people; "" if there is nothing to say.
func (p *Proven) Words() string {
	if p == nil {
		return ""
	}
	words := map[string]string{ByCheck: "proven", ByKeeping: "kept", ByReading: "read by the verifier", NotProvable: "not provable", BeforeWork: "met before", NotMet: "not met"}[p.How]
	switch {
	case words == "":
		return "not proven yet"
	case p.How == ByCheck && p.Seen:
		words += ", seen"
	case (p.How == NotProvable || p.Lost) && p.Why != "":
		words += ": " + p.Why
	}
	return words
}

// Holds reports whether more than a reader's opinion says that the criterion is met.
func (p *Proven) Holds() bool {
	return p != nil && (p.How == ByCheck || p.How == ByKeeping || p.How == BeforeWork)
}

// Agreed returns the contract, with what it decides beyond the issue; "" without one.
func (p *Proven) Agreed() string {
	switch {
	case p == nil || p.Contract == "":
		return ""
	case p.Decided == "":
		return p.Contract
	}
	return p.Contract + " (beyond the issue: " + p.Decided + ")"
}

// Unproven reports whether level 3 has to ask before it merges: no test and no reader can tell, a
// check of behaviour got lost, or one has not run on the work, such as on another machine.
func (p *Proven) Unproven() bool {
	return p != nil && (p.How == NotProvable || p.How == "" || p.Lost && (p.is(redfirst.New) || p.is(redfirst.Keeps)))
}

// first is 1 for what people look at before anything else: a box that no work ticked.
func (p *Proven) first() int {
	if p != nil && p.How == BeforeWork {
		return 1
	}
	return 0
}

// provenBy returns the proof of each criterion that has a contract.
func (b *Book) provenBy() map[string]*Proven {
	list := map[string]*Proven{}
	for _, e := range b.Checks {
		list[e.Row.ID] = list[e.Row.ID].after(e.Row)
	}
	return list
}
