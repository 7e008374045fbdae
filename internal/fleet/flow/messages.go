// Package flow is a fleet's workflows on Temporal: the fleet itself, which gives work to
// workers by core/schedule; one for each requirement; a merge train for each repository
// and target; the purse. They decide and remember; workers do. Their code is replayed, so
// that it takes time, chance and order from Temporal alone, and a change of it needs a
// version.
package flow

import (
	"encoding/json"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
)

// Ids of workflows. Nowhere in a namespace are there two of one id, so that each has the
// fleet's name in it: several fleets can share a namespace. The scope is that name, or ""
// in a fleet that was begun before ids had it (see FleetState.Scope).
func FleetID(fleet string) string { return "fleet:" + fleet }
func PurseID(fleet string) string { return "purse:" + fleet }
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

// FlowQueue is the task queue of the workflows of a fleet; WorkerQueue that of one
// worker, for what it does.
func FlowQueue(fleet string) string           { return "warp-fleet:" + fleet }
func WorkerQueue(fleet, worker string) string { return "warp-worker:" + within(fleet) + worker }

// Names of activities, which workers register.
const (
	BeginWork = "begin-work" // Work -> Stepped: clone, take over, start the drive
	TakeStep  = "take-step"  // Step -> Stepped: one phase
	LeaveWork = "leave-work" // Work -> nothing: end the drive's process and keep its state
)

// Work is a requirement as a worker is told of it.
type Work struct {
	Fleet      string
	Night      string
	Repository fleetfile.Repository
	Issue      string
	Title      string
	Account    fleetfile.Account
	// Attempt counts the workers that have begun it, from 1; Steps are the steps that were
	// taken before it was begun.
	Attempt int
	Steps   int64 `json:",omitempty"`
	// Spent is what earlier workers have spent on it: the drive's own bounds count it.
	Spent conduct.Spent `json:",omitzero"`
}

// Step is one phase that a worker may take now.
type Step struct {
	Work     Work
	Serial   int64 // counted from 1 over the whole requirement
	MicroUSD int64 // that it may spend; 0: no bound
	Answer   *Answer
	Deny     string // park the drive instead, and why
}

// Stepped is where a drive stands after a step.
type Stepped struct {
	Phase   string // that is next; "": see Ask and Outcome
	Agent   bool   // the next phase may start agents
	Spent   conduct.Spent
	Windows []conduct.Window `json:",omitempty"` // of the account
	Ask     *conduct.Ask
	Outcome *conduct.Outcome
	// Evidence is that of a drive that has ended, and from time to time of one that goes on:
	// an evidence.Account, bounded.
	Evidence json.RawMessage `json:",omitempty"`
}

// Beat is what a heartbeat carries.
type Beat struct {
	Phase, Doing string
	Spent        conduct.Spent
	At           time.Time
}

// Answer is a person's decision; its text is "" when none came in time.
type Answer struct{ Question, Text, By string }
