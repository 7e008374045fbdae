package workflow

import "warp/internal/core/livestate"

// quiet are the kinds of notes that are shown where agents run, if at all.
var quiet = map[string]bool{AgentAsked: true, Said: true}

// show adds a note to the live state for other processes.
func (n Note) show(s *livestate.State) {
	if quiet[n.Kind] {
		return
	}
	if n.Kind == Phased || n.Kind == TaskBegan {
		s.Do(n.At, n.Text)
	}
	words := n.Text
	if n.Task != "" {
		words = n.Task + ": " + words
	}
	if n.Passed != nil {
		words = map[bool]string{true: "passed ", false: "failed "}[*n.Passed] + words
	}
	s.Say(n.At, n.Kind, words)
}
