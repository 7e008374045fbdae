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

// Proven lists, for each event that states a fact, what warp verifies before it believes it. The
// other events are choices or admit a failure, and need no proof.
var Proven = lazy.Table[Event, string]{
	{PrerequisitesOK, "there is a commit to build on, a test command and an author for commits; at level 2 the main branch is not checked out; the dev environment is up"},
	{WorkSelected, "the issue is open, approved, has open criteria and waits for no other; the branch is checked out and is not the merge target"},
	{NoWork, "no issue was named, and no approved one can be worked on"},
	{ChunksDefined, "each open criterion of the issue is in exactly one chunk; the tests ran before anything was changed"},
	{CodeComplete, "the drive's branch is checked out"},
	{TestsPassed, "the tests passed for exactly this tree, in a clean room, and are no weaker than before"},
	{Committed, "the commit is what was tested, is not empty and carries the drive's trailer; documentation is not checked for drift here"},
	{CommitWithDocGate, "as committed, where documentation is checked for drift"},
	{DriftClean, "the committed documentation has no drift of high severity, and none that warp docs sync can fix"},
	{ReportFiled, "the tracker has the chunk's report"},
	{RequirementDone, "every chunk is done and has its commit on the branch, every criterion is checked off"},
	{MergeReady, "all tests passed for this tree, and are no weaker than in the merge target"},
	{Merged, "level 2: a pull request is open for the branch as it is; level 3: the merge target, on the remote too, contains the branch and passes the tests"},
	{SessionEnded, "the tracker has the drive's summary, and the merged issue is closed"},
}

// TrailerName is the trailer of commits made by a drive.
const TrailerName = "Warp-Drive"

// Trailer identifies the commit of a session's chunk.
func Trailer(s *State, chunk int) string {
	return fmt.Sprintf(TrailerName+": #%s chunk %d/%d session %d", s.Issue(), chunk, s.Chunk.Total, s.Session.StartedAtEpoch)
}
