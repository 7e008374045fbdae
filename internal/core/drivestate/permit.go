package drivestate

import (
	"fmt"
	"slices"
	"strings"
)

// Guards decide what may be done to the repository now.
type Guards struct {
	phase                Phase
	level                int
	branch, target, main string
	watch                map[string]Watched
	frozen               *Freeze
	override             *Override
}

// Guards returns the drive's current guards.
func (s *State) Guards() Guards {
	return Guards{s.Phase, s.Session.Level, s.BranchName(), s.MergeTarget, s.MainBranch, s.Watch, s.Frozen, s.Override}
}

// Operations are what an agent or a person may do to the repository.
var Operations = []string{"git_commit", "git_push", "git_merge", "edit"}

// The phases of each operation.
var (
	commitPhases = []Phase{Committing, DocDriftCheck, Merging, Aborted}
	pushPhases   = []Phase{Committing, DocDriftCheck, Reporting, ChunkComplete, RequirementComplete, Merging, Aborted}
	editPhases   = []Phase{Coding, UpdatingDocs, Testing, DocDriftCheck, Merging}
)

// Permission answers "may I do this now?".
type Permission struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"` // reason for a refusal, or advice
}

// Permit reports whether an operation is allowed in this phase. Branch is the branch to push; "" is
// the drive's. A frozen drive allows nothing.
func (g Guards) Permit(operation, branch string) (Permission, error) {
	if g.frozen != nil && g.phase.Active() && slices.Contains(Operations, operation) {
		return Permission{Reason: (&FrozenError{g.phase, *g.frozen}).Error()}, nil
	}
	switch operation {
	case "git_commit":
		return g.during(commitPhases, "git commit is only allowed during committing phase"), nil
	case "git_merge":
		return g.during([]Phase{Merging}, "git merge is only allowed during merging phase"), nil
	case "git_push":
		return g.permitPush(branch), nil
	case "edit":
		if slices.Contains(editPhases, g.phase) {
			return Permission{Allowed: true}, nil
		}
		return Permission{true, fmt.Sprintf("advice: files are usually not edited in phase %q", g.phase)}, nil
	}
	return Permission{}, fmt.Errorf("there is no operation %q; there are %s", operation, strings.Join(Operations, ", "))
}

func (g Guards) during(phases []Phase, rule string) Permission {
	if slices.Contains(phases, g.phase) {
		return Permission{Allowed: true}
	}
	return Permission{Reason: fmt.Sprintf("%s (now in %s; warp log shows its history)", rule, g.phase)}
}

func (g Guards) permitPush(branch string) Permission {
	if branch == "" {
		branch = g.branch
	}
	if branch == g.branch && (branch == "" || branch != g.target) {
		return g.during(pushPhases, "git push of the drive's branch is only allowed from committing to merging, and in aborted")
	}
	if branch != g.target {
		return Permission{Reason: fmt.Sprintf("git push of %q: only the drive's branch %q and the merge target %q may be pushed", branch, g.branch, g.target)}
	}
	if g.level < 3 {
		return Permission{Reason: fmt.Sprintf("git push of the merge target %q is only allowed at level 3; level %d opens a pull request", branch, g.level)}
	}
	return g.during([]Phase{Merging}, "git push of the merge target is only allowed during merging phase")
}
