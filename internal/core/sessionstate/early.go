package sessionstate

import (
	"slices"
	"strings"
)

// EndedEarly reports whether a session that is called complete did not reach its end: a limit stopped
// it, or one of its stages, and says why.
func (s *State) EndedEarly() (reason, why string, is bool) {
	unmet := func(why string) bool { return strings.Contains(why, "did not reach its end") }
	if s.Status != Complete {
		return "", "", false
	}
	if early := slices.IndexFunc(s.Stages, func(st Stage) bool { return unmet(st.Why) }); early >= 0 { // the last may still have reached its own
		st := s.Stages[early]
		return st.Reason, "stage " + st.Name + ": " + st.Why, true
	}
	return s.Reason(), s.Why, unmet(s.Why)
}
