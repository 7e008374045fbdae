package drive

import (
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/livestate"
)

// show adds a note to the live state for other processes. Agents' events are added where the agents
// run.
func (n Note) show(s *livestate.State) {
	s.Issue, s.Title, s.Branch = n.Issue, n.Title, n.Branch
	switch n.Kind {
	case AgentBegan, AgentSaid, AgentEnded:
		return
	case Phased:
		s.Do(n.At, drivestate.Describe(n.Phase, n.Chunk, n.Total))
	case Criteria:
		s.Criteria = nil
		for _, c := range n.Criteria {
			s.Criteria = append(s.Criteria, livestate.Criterion(c))
		}
	case Waiting:
		s.Wait = nil
		if !n.Until.IsZero() {
			s.Wait = &livestate.Wait{Why: n.Text, Until: n.Until}
		}
	default:
		words := n.Text
		if n.Passed != nil {
			if verdict := map[bool]string{true: "passed", false: "failed"}[*n.Passed]; !strings.Contains(words, verdict) {
				words = verdict + " " + words
			}
		}
		s.Say(n.At, string(n.Kind), words)
	}
}
