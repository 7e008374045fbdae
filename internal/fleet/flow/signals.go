package flow

import (
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
)

// Names of workflows, stable over versions.
const (
	FleetFlow       = "fleet"       // FleetState
	RequirementFlow = "requirement" // Requirement -> conduct.Outcome
	TrainFlow       = "train"       // TrainState
	PurseFlow       = "purse"       // PurseState
)

// Status is the query of every workflow: FleetStatus, RequirementStatus, TrainStatus,
// PurseStatus.
const Status = "status"

// Signals to a fleet.
const (
	Submit    = "submit"    // []Submission
	Hello     = "hello"     // WorkerInfo: at the start of a worker and every minute
	Drain     = "drain"     // Drained: a worker finishes its steps and gets no more
	Configure = "configure" // fleetfile.File, to the purse as well
	NewNight  = "night"     // string: its name; caps of a night count anew
	Windows   = "windows"   // accountWindows
	Capped    = "capped"    // bool: from a fleet to its requirements, whether money is capped
)

// Signals of people: to the fleet, which passes them on to the requirements.
const (
	Pause   = "pause"   // Order
	Unpause = "resume"  // Order
	Stop    = "stop"    // Order
	Reply   = "answer"  // Answer; to the requirement itself
	Leave   = "leave"   // string, the worker: to a requirement; Boarding: to a train
	Turn    = "turn"    // Boarding: from a train to a requirement
	Board   = "board"   // Boarding: to a train
	Reserve = "reserve" // Reservation: to the purse
	Settle  = "settle"  // Reservation: to the purse
	Granted = "granted" // Reservation: from the purse to a requirement
)

// Signals between a fleet and its requirements.
const (
	Assign  = "assign"  // assignment: to a requirement that waits for a worker
	Ended   = "ended"   // news
	Lost    = "lost"    // news: its worker is gone, or drained
	Limited = "limited" // news: its account met a limit
	Rest    = "rest"    // news: its agent is done for now, or works again
	Ping    = "ping"    // string: to a requirement; fails when it is gone
)

// Types of application errors of activities. Anything else counts as broken.
const (
	WorkerLost  = "worker-lost"  // the worker goes, or has no process of this work
	StepRefused = "step-refused" // the drive or the worker does not take the step
	StepBroken  = "step-broken"  // the drive died or said what is not understood
)

// Terms are the times and amounts that a fleet works by. Zero fields are the defaults.
type Terms struct {
	Heartbeat time.Duration // 30 s: a step without one for so long has lost its worker
	Grace     time.Duration // as Heartbeat: how much longer the next attempt waits
	Silence   time.Duration // 3 min: a worker that did not say hello for so long gets no work
	Tick      time.Duration // 5 min: how often those are asked who hold something
	MicroUSD  int64         // 2,000,000: what a phase with agents may spend
	Failures  int           // 3: steps that fail until a person must look
	Losses    int           // 20: workers that are lost until a person must look
	Events    int           // 4,000: of a history, until the workflow begins a new one
}

// Complete fills in the defaults.
func (t Terms) Complete() Terms {
	fill(&t.Heartbeat, 30*time.Second)
	fill(&t.Grace, t.Heartbeat)
	// A worker notices after 5/8 of the time-out at the latest, and an agent that resists is
	// gone six seconds later.
	t.Grace = max(t.Grace, 6*time.Second-t.Heartbeat*3/8)
	fill(&t.Silence, 3*time.Minute)
	fill(&t.Tick, 5*time.Minute)
	fill(&t.MicroUSD, 2_000_000)
	fill(&t.Failures, 3)
	fill(&t.Losses, 20)
	fill(&t.Events, 4_000)
	return t
}

func fill[T ~int | ~int64](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// Submission is a requirement for the fleet.
type Submission struct {
	Repo, Issue string
	Title       string   `json:",omitempty"`
	Priority    int      `json:",omitempty"`
	Needs       []string `json:",omitempty"` // as repo#issue
	// Closed says that the tracker has it closed already: what needs it may begin.
	Closed bool `json:",omitempty"`
	// Again begins one anew that has a pull request already.
	Again bool `json:",omitempty"`
}

// ID is what it is called in the queue.
func (s Submission) ID() string { return s.Repo + "#" + s.Issue }

// WorkerInfo is a worker as it introduces itself.
type WorkerInfo struct {
	Name, Pool string
	Slots      int
	Accounts   []string  // "": those of its pool
	Version    string    `json:",omitempty"`
	Since      time.Time // when its process began: one that begins again is not drained
}

// Drained is a worker that is to finish its steps; Back: it may work again.
type Drained struct {
	Worker string
	Back   bool `json:",omitempty"`
}

// accountWindows is how much of an account's windows is used.
type accountWindows struct {
	Account string
	Windows []conduct.Window
}

// windowLengths are how long the windows last that are known.
var windowLengths = map[string]time.Duration{"five_hour": 5 * time.Hour, "seven_day": 7 * 24 * time.Hour}

// Order is a person's, to one requirement ("repo#issue") or to the whole fleet ("").
type Order struct {
	Requirement string
	By          string `json:",omitempty"`
}

// assignment gives a requirement a worker.
type assignment struct {
	Worker  string
	Account fleetfile.Account
	Attempt int
	Night   string
	NoCaps  bool `json:",omitempty"`
}

// news is what a requirement tells its fleet.
type news struct {
	Requirement string // repo#issue
	Attempt     int
	Why         string           `json:",omitempty"`
	Outcome     *conduct.Outcome `json:",omitempty"`
	Spent       conduct.Spent
	Works       bool `json:",omitempty"` // rest: its agent works again
	Missed      bool `json:",omitempty"` // lost: its worker did not take the step
}

// Boarding is a requirement's place in a train; Workflow is its id. Serial grows with each
// time that it boards: what is said of an earlier time does not count any more.
type Boarding struct {
	Workflow, Train string
	Serial          int64
}

// Reservation is money for one step: asked for, granted or refused, and settled.
type Reservation struct {
	Workflow, Repo string
	Serial         int64
	MicroUSD       int64  // asked for; when settled: used
	Refused        string `json:",omitempty"` // why there is none this night
	Free           bool   `json:",omitempty"` // no cap binds: the step may spend what the drive's own bounds allow
}
