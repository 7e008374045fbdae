// Package fleetview describes a fleet for people, in plain types: what warp-fleet prints as JSON,
// and what the terminal screen and the pages read. It knows nothing about running a fleet, so that
// a program can show one without linking that.
package fleetview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// View is a fleet at one moment.
type View struct {
	Fleet    string        `json:"fleet"`
	Night    string        `json:"night,omitempty"`
	Paused   string        `json:"paused,omitempty"` // by whom
	Quiet    time.Time     `json:"quiet_until,omitzero"`
	Merged   int           `json:"merged"` // including those that Done has dropped
	Machines []Machine     `json:"machines"`
	Running  []Requirement `json:"running"`
	Queue    []Requirement `json:"queue"` // in the order in which they would begin
	Parked   []Requirement `json:"parked"`
	Done     []Requirement `json:"done"` // the last ones
	Trains   []Train       `json:"trains"`
	Budget   Budget        `json:"purse"`
	Circles  []string      `json:"circles,omitempty"` // requirements that wait for each other
}

// Machine is a worker.
type Machine struct {
	Name     string    `json:"name"`
	Pool     string    `json:"pool,omitempty"`
	Used     int       `json:"used"`
	Slots    int       `json:"slots"`
	Resting  int       `json:"resting,omitempty"` // used slots that wait for the train or an answer
	Seen     time.Time `json:"seen,omitzero"`
	Gone     bool      `json:"gone,omitempty"`
	Draining bool      `json:"draining,omitempty"`
	Hold     string    `json:"hold,omitempty"` // why it starts nothing
}

type State string

const (
	Running State = "running"
	Waiting State = "waiting"
	Parked  State = "parked"
	Done    State = "done" // merged, or its pull request is open
)

// Requirement is one on its way through the fleet.
type Requirement struct {
	Repo    string           `json:"repo"`
	Issue   string           `json:"issue"`
	Title   string           `json:"title,omitempty"`
	State   State            `json:"state"`
	Paused  bool             `json:"paused,omitempty"`
	Why     string           `json:"why,omitempty"` // why it waits or is parked
	Worker  string           `json:"worker,omitempty"`
	Account string           `json:"account,omitempty"`
	Attempt int              `json:"attempt,omitempty"` // workers that have begun it
	Since   time.Time        `json:"since,omitzero"`
	Spent   conduct.Spent    `json:"spent"`
	Outcome *conduct.Outcome `json:"outcome,omitempty"`
	// If it runs:
	Phase string       `json:"phase,omitempty"`
	Doing string       `json:"doing,omitempty"`
	Train string       `json:"train,omitempty"` // "waits", "has the turn"
	Ask   *conduct.Ask `json:"ask,omitempty"`
	Beat  time.Time    `json:"beat,omitzero"` // when its worker was last heard from
}

// ID returns the requirement's name: repo#issue.
func (r Requirement) ID() string { return r.Repo + "#" + r.Issue }

// Train is the merge train of a repository.
type Train struct {
	Repo   string   `json:"repo"`
	Target string   `json:"target,omitempty"` // "": the remote's default branch
	Line   []string `json:"line"`             // as repo#issue
	Turn   bool     `json:"turn,omitempty"`   // the first is merging now
}

// Budget is the money of the night, in millionths of a dollar.
type Budget struct {
	Settled  int64 `json:"settled_micro_usd"`
	Reserved int64 `json:"reserved_micro_usd"`
	Over     int64 `json:"over_micro_usd,omitempty"` // more than was reserved
	Cap      int64 `json:"cap_micro_usd,omitempty"`  // per night; 0: none
}

// Detail is a requirement with everything its workflow knows about it, even after its end.
type Detail struct {
	Requirement
	Steps    int64             `json:"steps"`
	Notes    []string          `json:"notes,omitempty"`
	Evidence *evidence.Account `json:"evidence,omitempty"` // perhaps shortened; nil if none was read
}

// All returns the requirements in display order.
func (v View) All() []Requirement { return slices.Concat(v.Running, v.Queue, v.Parked, v.Done) }

// Find returns the requirement with an id.
func (v View) Find(id string) (Requirement, bool) {
	all := v.All()
	if n := slices.IndexFunc(all, func(r Requirement) bool { return r.ID() == id }); n >= 0 {
		return all[n], true
	}
	return Requirement{}, false
}

// PlaceOf returns a requirement's position in the train of its repository, from 1; 0 if it has
// none.
func (v View) PlaceOf(r Requirement) int {
	for _, t := range v.Trains {
		if t.Repo == r.Repo {
			return slices.Index(t.Line, r.ID()) + 1
		}
	}
	return 0
}

// Asking returns the requirements that wait for a person's answer.
func (v View) Asking() (list []Requirement) {
	for _, r := range v.Running {
		if r.Ask != nil {
			list = append(list, r)
		}
	}
	return list
}

// Words describes the machine's state; empty while it is healthy.
func (m Machine) Words() string {
	switch {
	case m.Gone && !m.Seen.IsZero():
		return "has not been heard from since " + m.Seen.Local().Format("15:04")
	case m.Gone:
		return "has not been heard from"
	case m.Draining:
		return "finishes its steps and leaves"
	}
	return m.Hold
}

// Words describes what a requirement does, waits for, or ended as.
func (r Requirement) Words() string {
	switch {
	case r.Ask != nil:
		return "asks: " + r.Ask.Text
	case r.Paused:
		return "paused"
	case r.State == Running:
		return cmp.Or(r.Doing, r.Phase, "begins")
	case r.State == Done && r.Outcome != nil:
		return text.JoinNonEmpty(" ", evidence.Result(r.Outcome.Result).Words(), cmp.Or(r.Outcome.Pull, r.Outcome.Commit))
	}
	return r.Why
}

// PhaseWords returns the phase without underscores.
func (r Requirement) PhaseWords() string { return strings.ReplaceAll(r.Phase, "_", " ") }

// FormatBudget formats what the night has spent of its budget.
func (p Budget) FormatBudget() string {
	line := evidence.Dollars(p.Settled) + " spent"
	if p.Reserved > 0 {
		line += ", " + evidence.Dollars(p.Reserved) + " reserved"
	}
	if p.Cap > 0 {
		line += ", of " + evidence.Dollars(p.Cap) + " a night"
	}
	if p.Over > 0 {
		line += "; " + evidence.Dollars(p.Over) + " more than was reserved"
	}
	return line
}

// TrainWords describes a requirement's position in the train of its repository; "" if it has none.
func (v View) TrainWords(r Requirement) string {
	switch n := v.PlaceOf(r); {
	case r.Train == "has the turn":
		return "has the turn to merge"
	case n > 0:
		return fmt.Sprintf("place %d in the merge train", n)
	case r.Train != "":
		return r.Train + " for the merge train"
	}
	return ""
}
