package judge

// Verdict is a verifier's verdict on one criterion.
type Verdict struct {
	ID     string `json:"id"`
	Met    bool   `json:"met"`
	Reason string `json:"reason"`
}

// VerifierAnswer is the structured result of a verifier.
type VerifierAnswer struct {
	Criteria []Verdict `json:"criteria"`
}

// Verdicts returns the verdicts on criteria, in their order. A criterion that the verifier leaves
// out is not met, and of two verdicts on one the no counts.
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
