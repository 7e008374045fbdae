package workflowstate

import (
	"slices"
	"time"

	"warp/internal/core/learning"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Milestone is the issue of a finished phase.
type Milestone struct {
	lossless.Origin
	Phase     int    `json:"phase"`
	Name      string `json:"name"`
	Completed string `json:"completed"`
	IssueURL  string `json:"issue_url"`         // "" until it is filed
	Unfiled   string `json:"unfiled,omitempty"` // why not
}

type Milestones []Milestone

// Reach records the issue of a finished phase, once per phase, and fills in a missing URL.
func (l *Milestones) Reach(phase int, name, url string, at time.Time) bool {
	i := slices.IndexFunc(*l, func(m Milestone) bool { return m.Phase == phase })
	if i < 0 {
		*l = append(*l, Milestone{Phase: phase, Name: name, Completed: Stamp(at), IssueURL: url})
		return true
	}
	if m := &(*l)[i]; m.IssueURL == "" && url != "" {
		m.IssueURL, m.Unfiled = url, ""
		return true
	}
	return false
}

// NoteUnfiled records why the issue of a finished phase is not filed yet.
func (l Milestones) NoteUnfiled(phase int, why string) bool {
	for i := range l {
		if m := &l[i]; m.Phase == phase && m.IssueURL == "" && m.Unfiled != why {
			m.Unfiled = text.Prefix(why, maxText)
			return true
		}
	}
	return false
}

// Unfiled returns the milestones whose issues are not filed yet.
func (l Milestones) Unfiled() []Milestone {
	return slices.DeleteFunc(slices.Clone(l), func(m Milestone) bool { return m.IssueURL != "" })
}

// maxNote limits a person's note on a checkpoint, in bytes.
const maxNote = 500

// Checkpoint is a commit and a state to return to.
type Checkpoint struct {
	lossless.Origin
	Timestamp     string `json:"timestamp"`
	Phase         int    `json:"phase"`
	Task          string `json:"task"`
	GitSHA        string `json:"git_sha"`
	StateSnapshot string `json:"state_snapshot"`
	Manual        bool   `json:"manual,omitempty"` // a person made it
	Note          string `json:"note,omitempty"`   // that person's words
}

// Checkpoints are in the order of their creation.
type Checkpoints []Checkpoint

// Add records checkpoint n, counted from 1. Print the snapshot afterwards, so that it includes
// itself.
func (l *Checkpoints) Add(n int, c Checkpoint, at time.Time) bool {
	c.Timestamp, c.StateSnapshot, c.Note = Stamp(at), SnapshotFile(n), text.Prefix(c.Note, maxNote)
	if slices.ContainsFunc(*l, func(o Checkpoint) bool { return o.StateSnapshot == c.StateSnapshot }) {
		return false
	}
	*l = newest(append(*l, c), maxKept)
	return true
}

// Last returns the highest number of a checkpoint, 0 if there is none.
func (l Checkpoints) Last() (last int) {
	for _, c := range l {
		n, _ := SnapshotNumber(c.StateSnapshot)
		last = max(last, n)
	}
	return last
}

// Learnings are lessons, oldest first.
type Learnings []learning.Learning

// Add records a lesson, once for each iteration in which it was learned.
func (l *Learnings) Add(one learning.Learning) bool {
	one = one.Bounded()
	if slices.ContainsFunc(*l, func(o learning.Learning) bool { return o.Same(one) }) {
		return false
	}
	*l = newest(append(*l, one), maxKept)
	return true
}
