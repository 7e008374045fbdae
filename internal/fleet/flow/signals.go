package flow

import (
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
)

// Names of workflows. They must stay the same across versions.
const (
	FleetFlow       = "fleet"       // FleetState
	RequirementFlow = "requirement" // Requirement -> conduct.Outcome
	TrainFlow       = "train"       // TrainState
	BudgetFlow      = "purse"       // BudgetState
)

// Status is the query of every workflow. It returns FleetStatus, RequirementStatus, TrainStatus or
// BudgetStatus.
const Status = "status"

// Signals to a fleet.
const (
	Submit    = "submit"    // []Submission
	Hello     = "hello"     // WorkerInfo: at the start of a worker and every minute
	Drain     = "drain"     // Drained: a worker finishes its steps and gets no new work
	Configure = "configure" // fleetfile.File, to the budget as well
	NewNight  = "night"     // string: its name; caps of a night start anew
	Windows   = "windows"   // accountWindows
	Capped    = "capped"    // bool: from a fleet to its requirements, whether money is capped
)

// Signals of people go to the fleet, which forwards them to the requirements.
const (
	Pause   = "pause"   // Order
	Unpause = "resume"  // Order
	Stop    = "stop"    // Order
	Reply   = "answer"  // Answer; to the requirement itself
	Leave   = "leave"   // string, the worker: to a requirement; Boarding: to a train
	Turn    = "turn"    // Boarding: from a train to a requirement
	Board   = "board"   // Boarding: to a train
	Reserve = "reserve" // Reservation: to the budget
	Settle  = "settle"  // Reservation: to the budget
	Granted = "granted" // Reservation: from the budget to a requirement
)

// Signals between a fleet and its requirements.
const (
	Assign  = "assign"  // assignment: to a requirement that waits for a worker
	Ended   = "ended"   // news
	Lost    = "lost"    // news: its worker is gone, or drained
	Limited = "limited" // news: its account hit a limit
	Rest    = "rest"    // news: its agent pauses, or works again
	Ping    = "ping"    // string: to a requirement; fails if it is gone
)

// Types of application errors of activities. Any other counts as StepBroken.
const (
	WorkerLost  = "worker-lost"  // the worker is leaving, or has no process for this work
	StepRefused = "step-refused" // the drive or the worker refuses the step
	StepBroken  = "step-broken"  // the drive died or sent something unexpected
)

// Terms are the intervals and limits of a fleet. Zero fields mean the defaults.
type Terms struct {
	Heartbeat time.Duration // 30 s: a step without one for this long has lost its worker
	Grace     time.Duration // as Heartbeat: extra delay before the next attempt
	Silence   time.Duration // 3 min: a worker without a hello for this long gets no work
	Tick      time.Duration // 5 min: how often holders of a turn or money are asked
	MicroUSD  int64         // 2,000,000: what a phase with agents may spend
	Failures  int           // 3: failed steps before a person must look
	Losses    int           // 20: lost workers before a person must look
	Events    int           // 4,000: events in a history before a new one begins
}

// Complete fills in the defaults.
func (t Terms) Complete() Terms {
	fill(&t.Heartbeat, 30*time.Second)
	fill(&t.Grace, t.Heartbeat)
	// A worker notices within 5/8 of the timeout, and a resisting agent is gone six seconds later.
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

// Submission submits a requirement to the fleet.
type Submission struct {
	Repo, Issue string
	Title       string   `json:",omitempty"`
	Priority    int      `json:",omitempty"`
	Needs       []string `json:",omitempty"` // dependencies as repo#issue
	// Closed means that the tracker has closed it: its dependants may begin.
	Closed bool `json:",omitempty"`
	// Scheduled means that no person submits it: it stays parked if a person has stopped it.
	Scheduled bool `json:",omitempty"`
}

// ID returns its name in the queue.
func (s Submission) ID() string { return s.Repo + "#" + s.Issue }

// WorkerInfo is a worker's introduction of itself.
type WorkerInfo struct {
	Name, Pool string
	Slots      int
	Accounts   []string  // empty for those of its pool
	Version    string    `json:",omitempty"`
	Since      time.Time // when its process began; a restart ends draining
}

// Drained tells a worker to finish its steps or, with Back, to work again.
type Drained struct {
	Worker string
	Back   bool `json:",omitempty"`
}

// accountWindows is the usage of an account's windows.
type accountWindows struct {
	Account string
	Windows []conduct.Window
}

// windowLengths maps known windows to their duration.
var windowLengths = map[string]time.Duration{"five_hour": 5 * time.Hour, "seven_day": 7 * 24 * time.Hour}

// Order is a person's order to one requirement ("repo#issue") or to the whole fleet ("").
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

// news is a requirement's report to its fleet.
type news struct {
	Requirement string // repo#issue
	Attempt     int
	Why         string           `json:",omitempty"`
	Outcome     *conduct.Outcome `json:",omitempty"`
	Spent       conduct.Spent
	Works       bool `json:",omitempty"` // rest: its agent works again
	Missed      bool `json:",omitempty"` // lost: its worker did not take the step
}

// Boarding is a requirement's place in a train; Workflow is the requirement's id. Serial grows
// each time it boards, so that late signals about an earlier time can be ignored.
type Boarding struct {
	Workflow, Train string
	Serial          int64
}

// Reservation is money for one step: asked for, granted or refused, and settled.
type Reservation struct {
	Workflow, Repo string
	Serial         int64
	MicroUSD       int64  // the amount asked for; when settling, the amount used
	Refused        string `json:",omitempty"` // why there is no money this night
	Free           bool   `json:",omitempty"` // no cap applies: only the drive's own limits bound the step
}
