package drivestate

import (
	"fmt"
	"slices"
	"strings"
)

// The semantic gates.
const (
	DiffRelevance = "diff_relevance_check"
	ACCount       = "ac_count_check"
)

// Semantic says which semantic gate guards which event.
var Semantic = map[Event]string{CodeComplete: DiffRelevance, DocsUpdated: ACCount}

// seedGates shows in the document what guards each event: the semantic gates
// and the configured commands. A document cannot take a gate away; what stands
// there under a name that is no event belongs to another program.
func (s *State) seedGates(targets map[Event][]string) {
	gates := make(map[string]Gate, len(Semantic)+len(targets))
	events := Table.AllEvents()
	for name, g := range s.Gates {
		if !slices.Contains(events, Event(name)) {
			gates[name] = g
		}
	}
	for on, name := range Semantic {
		gates[string(on)] = Gate{Semantic: name}
	}
	for on, cmds := range targets {
		g := gates[string(on)]
		g.Targets = cmds
		gates[string(on)] = g
	}
	s.Gates = gates
}

// CriteriaGap holds the criteria that are checked off against those that are
// done: the completed chunks' and this one's. It returns "" when they agree.
func (s *State) CriteriaGap() string {
	want := s.Due()
	have := s.Checked[s.Issue()]
	var gaps []string
	if missing := without(want, have); len(missing) > 0 {
		gaps = append(gaps, fmt.Sprintf("not checked off: %s (run: warp issue check %s %s)",
			strings.Join(missing, ", "), s.Issue(), strings.Join(missing, " ")))
	}
	if extra := without(have, want); len(extra) > 0 {
		gaps = append(gaps, fmt.Sprintf("checked off, but not part of the chunks done so far: %s (run: warp issue check --undo %s %s)",
			strings.Join(extra, ", "), s.Issue(), strings.Join(extra, " ")))
	}
	return strings.Join(gaps, "; ")
}

func without(list, drop []string) []string {
	var rest []string
	for _, x := range list {
		if !slices.Contains(drop, x) {
			rest = append(rest, x)
		}
	}
	return rest
}

// Operations are what an agent or a person may want to do to the repository.
var Operations = []string{"git_commit", "git_push", "git_merge", "edit"}

// Where each operation belongs.
var (
	commitPhases = []Phase{Committing, DocDriftCheck, Merging, Aborted}
	pushPhases   = []Phase{Committing, DocDriftCheck, Reporting, ChunkComplete, RequirementComplete, Merging, Aborted}
	editPhases   = []Phase{Coding, UpdatingDocs, Testing, DocDriftCheck, Merging}
)

// Permission is the answer to "may I do this now?".
type Permission struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // of a refusal, or advice
}

// Permit says whether an operation is allowed in this phase. Branch is the one
// to be pushed; "" is the drive's own. A frozen drive allows none.
func (s *State) Permit(operation, branch string) (Permission, error) {
	if s.Frozen != nil && s.Phase.Active() && slices.Contains(Operations, operation) {
		return Permission{Reason: (&FrozenError{s.Phase, *s.Frozen}).Error()}, nil
	}
	switch operation {
	case "git_commit":
		return s.during(commitPhases, "git commit is only allowed during committing phase"), nil
	case "git_merge":
		return s.during([]Phase{Merging}, "git merge is only allowed during merging phase"), nil
	case "git_push":
		return s.permitPush(branch), nil
	case "edit":
		if slices.Contains(editPhases, s.Phase) {
			return Permission{Allowed: true}, nil
		}
		return Permission{true, fmt.Sprintf("advice: files are usually not edited in phase %q", s.Phase)}, nil
	}
	return Permission{}, fmt.Errorf("there is no operation %q; there are %s", operation, strings.Join(Operations, ", "))
}

func (s *State) during(phases []Phase, rule string) Permission {
	if slices.Contains(phases, s.Phase) {
		return Permission{Allowed: true}
	}
	return Permission{Reason: fmt.Sprintf("%s (now in %s; warp log shows its history)", rule, s.Phase)}
}

func (s *State) permitPush(branch string) Permission {
	if branch == "" {
		branch = s.BranchName()
	}
	if branch == s.BranchName() && (branch == "" || branch != s.MergeTarget) {
		return s.during(pushPhases, "git push of the drive's branch is only allowed from committing to merging, and in aborted")
	}
	if branch != s.MergeTarget {
		return Permission{Reason: fmt.Sprintf("git push of %q: only the drive's branch %q and the merge target %q may be pushed", branch, s.BranchName(), s.MergeTarget)}
	}
	if s.Session.Level < 3 {
		return Permission{Reason: fmt.Sprintf("git push of the merge target %q is only allowed at level 3; level %d opens a pull request", branch, s.Session.Level)}
	}
	return s.during([]Phase{Merging}, "git push of the merge target is only allowed during merging phase")
}

// BeforeWork tells whether no work is chosen yet: the branches are the user's, who may
// bring them up to date.
func (s *State) BeforeWork() bool { return s.Phase == Prerequisites || s.Phase == Discovering }
