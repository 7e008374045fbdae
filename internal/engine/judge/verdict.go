package judge

// Verdict is what a verifier says of one criterion.
type Verdict struct {
	ID     string `json:"id"`
	Met    bool   `json:"met"`
	Reason string `json:"reason"`
}

// VerifierAnswer is the structured result of a verifier.
type VerifierAnswer struct {
	Criteria []Verdict `json:"criteria"`
}

// Verdicts are those of some criteria, in their order: one that the verifier does
// not name is not met, and of two that it gives the no counts.
func (a VerifierAnswer) Verdicts(ids []string) []Verdict {
	said := map[string]Verdict{}
	for _, v := range a.Criteria {
		if was, twice := said[v.ID]; twice && !was.Met {
			continue
		}
		said[v.ID] = v
	}
	list := make([]Verdict, len(ids))
	for i, id := range ids {
		v, ok := said[id]
		if !ok {
			v = Verdict{ID: id, Reason: "the verifier did not judge it"}
		}
		list[i] = v
	}
	return list
}

// MaxVerifierAsks is how often a verifier is asked before no answer counts as a no.
const MaxVerifierAsks = 2
