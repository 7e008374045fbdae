package drivestate

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

const (
	DiffRelevance = "diff_relevance_check"
	ACCount       = "ac_count_check"
)

// Semantic maps events to the semantic gates that guard them.
var Semantic = lazy.Table[Event, string]{{CodeComplete, DiffRelevance}, {DocsUpdated, ACCount}}

// showGates lists in the document what guards each event: the semantic gates and the configured
// commands. Editing the document cannot remove a gate. Entries that are not named after an event
// belong to another program and stay.
func showGates(s *State, targets map[Event][]string) {
	gates := make(map[string]Gate, len(Semantic)+len(targets))
	events := Table.AllEvents()
	for name, g := range s.Gates {
		if !slices.Contains(events, Event(name)) {
			gates[name] = g
		}
	}
	for _, g := range Semantic {
		gates[string(g.Key)] = Gate{Semantic: g.Value}
	}
	for on, cmds := range targets {
		g := gates[string(on)]
		g.Targets = cmds
		gates[string(on)] = g
	}
	s.Gates = gates
}

// CriteriaGap compares the checked criteria with those that are done: the completed chunks' and
// this one's. It returns "" if they agree.
func (s *State) CriteriaGap() string {
	want := s.Chunk.Due()
	have := s.Checked[s.Issue()]
	var gaps []string
	if missing := text.Without(want, have); len(missing) > 0 {
		gaps = append(gaps, fmt.Sprintf("not checked off: %s (run: warp issue check %s %s)",
			strings.Join(missing, ", "), s.Issue(), strings.Join(missing, " ")))
	}
	if extra := text.Without(have, want); len(extra) > 0 {
		gaps = append(gaps, fmt.Sprintf("checked off, but not part of the chunks done so far: %s (run: warp issue check --undo %s %s)",
			strings.Join(extra, ", "), s.Issue(), strings.Join(extra, " ")))
	}
	return strings.Join(gaps, "; ")
}
