package drivestate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Watched is where the guards last saw a guarded branch.
type Watched struct {
	Tip      string `json:"tip"`       // last seen here; "" if the branch is gone
	PhaseTip string `json:"phase_tip"` // tip when the phase began
}

// Move is a branch that is no longer where it was last seen.
type Move struct {
	Branch string `json:"branch"`
	Old    string `json:"old"`
	New    string `json:"new"`
}

func (m Move) String() string {
	return fmt.Sprintf("%s moved from %s to %s", m.Branch, hashOrNothing(m.Old), hashOrNothing(m.New))
}

func hashOrNothing(hash string) string {
	if hash == "" {
		return "nothing"
	}
	return text.Hash(hash)
}

// Freeze stops the phase: a branch moved without a guard seeing it, or something other than warp
// wrote the state. The first ends when the branch is back; the second only when a person says so,
// since the previous state is unknown.
type Freeze struct {
	At    string `json:"at"`
	Moves []Move `json:"moves,omitempty"`
	State bool   `json:"state_written,omitempty"`
}

// Override is a person's permission to move guarded branches for a while.
type Override struct {
	Reason string `json:"reason"`
	At     string `json:"at"`
	Until  string `json:"until"`
}

// FrozenError refuses an event because a branch moved, or the state was written, in a way the phase
// does not allow.
type FrozenError struct {
	Phase Phase
	Freeze
}

func (e *FrozenError) Error() string {
	if e.State {
		return fmt.Sprintf("the state of this drive was written outside warp, in phase %s: the drive is frozen. warp log shows its history; a person can accept it with: warp override --reason \"…\", or restore it with warp doctor --rebuild", e.Phase)
	}
	if len(e.Moves) == 0 { // after an edit by hand
		return fmt.Sprintf("the drive is frozen in phase %s until a person checks it and runs: warp override --reason \"…\"", e.Phase)
	}
	var b strings.Builder
	for i, m := range e.Moves {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(m.String())
	}
	m := e.Moves[0]
	return fmt.Sprintf("%s unseen by the guards, in phase %s: the drive is frozen. Check the change (git log %s..%s), then put the branch back, or have a person accept it with: warp override --reason \"…\"",
		b.String(), e.Phase, hashOrNothing(m.Old), hashOrNothing(m.New))
}

// Branches lists the branches that only this drive may move while active: its own and those it
// merges into.
func (g Guards) Branches() []string {
	var list []string
	for _, b := range []string{g.branch, g.target, g.main} {
		if b != "" && !slices.Contains(list, b) {
			list = append(list, b)
		}
	}
	return list
}

// MayMove reports whether a branch may move now, and why not.
func (g Guards) MayMove(branch string, now time.Time) Permission {
	operation := "git_merge"
	switch {
	case !g.phase.Active() || !slices.Contains(g.Branches(), branch):
		return Permission{Allowed: true}
	case g.override.InForce(now):
		return Permission{Allowed: true, Reason: "a person's override: " + g.override.Reason}
	case branch == g.branch && branch != g.target:
		operation = "git_commit"
	case g.level < 3 && g.phase == Merging:
		return Permission{Reason: fmt.Sprintf("%s is merged into by a pull request at level %d", branch, g.level)}
	}
	p, _ := g.Permit(operation, "") // the operation is known
	return p
}

// InForce reports whether the override applies now.
func (o *Override) InForce(now time.Time) bool {
	if o == nil {
		return false
	}
	until, err := time.Parse(time.RFC3339, o.Until)
	return err == nil && now.Before(until)
}

// Moved compares the tips of the guarded branches with where they were last seen, and returns the
// moves that the phase allows and those it does not.
func (g Guards) Moved(tips map[string]string, now time.Time) (allowed, unseen []Move) {
	for _, b := range g.Branches() {
		tip, known := tips[b]
		was, watched := g.watch[b]
		if !known || !watched || was.Tip == tip {
			continue
		}
		m := Move{b, was.Tip, tip}
		if g.MayMove(b, now).Allowed && (tip != "" || g.override.InForce(now)) { // deleting it is never allowed
			allowed = append(allowed, m)
		} else {
			unseen = append(unseen, m)
		}
	}
	return allowed, unseen
}

// noteTips records the tips as known and as the phase's start.
func noteTips(s *State, tips map[string]string) {
	if tips == nil {
		return
	}
	watch := make(map[string]Watched, len(tips))
	for _, b := range s.Guards().Branches() {
		if tip, known := tips[b]; known {
			watch[b] = Watched{tip, tip}
		}
	}
	s.Watch = watch
}

// Accept records the tips as known although the guards did not see the branches move.
func (s *State) Accept(tips map[string]string) {
	noteTips(s, tips)
	s.Frozen = nil
}

// EndsByPerson reports whether only a person can end the freeze, not a branch that is put back.
func (f *Freeze) EndsByPerson() bool { return f != nil && (f.State || len(f.Moves) == 0) }

// Same reports whether two freezes have the same reason.
func (f *Freeze) Same(g Freeze) bool {
	return f != nil && f.State == g.State && slices.Equal(f.Moves, g.Moves)
}

// noteMove records a move that a guard saw.
func noteMove(s *State, data *lossless.Value) bool {
	branch, to := data.Get("ref").Text(), data.Get("new").Text()
	if !slices.Contains(s.Guards().Branches(), branch) {
		return false
	}
	was, watched := s.Watch[branch]
	if !watched {
		was.PhaseTip = to // a new branch
	}
	was.Tip = to
	if s.Watch == nil {
		s.Watch = map[string]Watched{}
	}
	s.Watch[branch] = was
	return true
}

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
