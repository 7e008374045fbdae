// Package flow holds a fleet's Temporal workflows: the fleet itself, which assigns work with
// core/schedule; one per requirement; a merge train per repository and target; the budget. They
// decide and remember; workers act. Temporal replays this code, so it must take time, randomness
// and order from Temporal alone, and a change needs a version.
package flow

import (
	"encoding/json"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
)

// Workflow ids are unique in a namespace, so each contains the fleet's name: several fleets can
// share a namespace. The scope is that name, or "" in a fleet begun before ids were scoped (see
// FleetState.Scope).
func FleetID(fleet string) string { return "fleet:" + fleet }

// BudgetID keeps the old name purse, which running fleets and saved histories have.
func BudgetID(fleet string) string { return "purse:" + fleet }
func TrainID(scope, repo, target string) string {
	return "train:" + within(scope) + repo + ":" + target
}
func RequirementID(scope, repo, issue string) string {
	return "req:" + within(scope) + repo + "#" + issue
}

func within(scope string) string {
	if scope == "" {
		return ""
	}
	return scope + "/"
}

// FlowQueue is the task queue of a fleet's workflows; WorkerQueue that of one worker's activities.
func FlowQueue(fleet string) string           { return "warp-fleet:" + fleet }
func WorkerQueue(fleet, worker string) string { return "warp-worker:" + within(fleet) + worker }

// Names of activities that workers register.
const (
	BeginWork = "begin-work" // Work -> Stepped: clone, take over, start the drive
	TakeStep  = "take-step"  // Step -> Stepped: one phase
	LeaveWork = "leave-work" // Work -> nothing: end the drive's process, keep its state
)

// Work describes a requirement to a worker.
type Work struct {
	Fleet      string
	Night      string
	Repository fleetfile.Repository
	Issue      string
	Title      string
	Account    fleetfile.Account
	// Attempt counts the workers that have begun it, from 1; Steps counts the steps taken before.
	Attempt int
	Steps   int64 `json:",omitempty"`
	// Spent is what earlier workers spent on it; the drive's own limits include it.
	Spent conduct.Spent `json:",omitzero"`
}

// ID returns the requirement's name in the fleet.
func (w Work) ID() string { return w.Repository.Name + "#" + w.Issue }

// Step asks a worker to run one phase.
type Step struct {
	Work     Work
	Serial   int64 // counts from 1 over the whole requirement
	MicroUSD int64 // spending limit; 0 for none
	Answer   *Answer
	Deny     string // why the drive must park instead
}

// Stepped is the state of a drive after a step.
type Stepped struct {
	Phase   string // the next phase; if "", see Ask and Outcome
	Agent   bool   // the next phase may start agents
	Spent   conduct.Spent
	Windows []conduct.Window `json:",omitempty"` // usage windows of the account
	Ask     *conduct.Ask
	Outcome *conduct.Outcome
	// Evidence is an evidence.Account, bounded. It comes when a drive ends, and now and then before.
	Evidence json.RawMessage `json:",omitempty"`
}

// Beat is the payload of a heartbeat.
type Beat struct {
	Phase, Doing string
	Spent        conduct.Spent
	At           time.Time
}

// Answer is a person's decision; Text is "" if none came in time.
type Answer struct{ Question, Text, By string }
