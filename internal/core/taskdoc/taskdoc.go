// Package taskdoc reads task documents: Markdown that says what a workflow is to
// reach, in which phases and tasks, within which bounds, and how each is known to
// be done. Parse names every defect at once, with its place; a document without
// defects can be run as it is. Order and Ready say which task comes when, and Rewrite
// applies a new plan for what is pending.
package taskdoc

import (
	_ "embed"
	"fmt"
	"strings"
	"time"
)

// What a document may hold at most.
const (
	MaxBytes   = 256 << 10
	MaxLine    = 4 << 10  // bytes of a line
	MaxBlock   = 32 << 10 // bytes without an empty line between
	MaxTasks   = 1000
	MaxCommand = 4096 // bytes of a command
)

// Document is a task document.
type Document struct {
	Title        string      `json:"title"`
	Goal         string      `json:"goal"`
	Context      string      `json:"context"`
	Criteria     []Criterion `json:"success_criteria"` // of the whole
	Bounds       Bounds      `json:"safety_bounds"`
	Supervisor   Supervisor  `json:"supervisor"`
	OuterLoop    OuterLoop   `json:"outer_loop"`
	Phases       []Phase     `json:"phases"`
	Verification []Command   `json:"verification"`
	Rollback     string      `json:"rollback_plan"`
	Notes        []Note      `json:"notes"` // sections that only people and agents read
	Line         int         `json:"line"`  // of the title
	// Warnings are what a person should look at, but nothing that stops a run.
	Warnings []Defect `json:"warnings"`
}

// Bounds are what a workflow may spend.
type Bounds struct {
	Iterations int           `json:"max_iterations_per_task"`
	MicroUSD   int64         `json:"max_cost_micro_usd"`
	Time       time.Duration `json:"max_time_ns"`
}

// Supervisor says when the supervisor looks at the work.
type Supervisor struct {
	Enabled    bool `json:"enabled"`
	PreTask    bool `json:"pre_task"`
	PostTask   bool `json:"post_task"`
	OnDemand   bool `json:"on_demand"`
	MaxRePlans int  `json:"max_re_plans"`
}

// OuterLoop says whether, and how often, the finished work is polished.
type OuterLoop struct {
	Enabled    bool `json:"enabled"`
	Iterations int  `json:"max_iterations"`
}

// Phase is a group of tasks. It begins when the one before it is finished.
type Phase struct {
	Number      int    `json:"number"` // as the document says; -1 when that cannot be read
	Name        string `json:"name"`
	Description string `json:"description"`
	Tasks       []Task `json:"tasks"`
	Line        int    `json:"line"`
}

// Task is done when all its criteria are met.
type Task struct {
	ID          string      `json:"task"`
	Phase       int         `json:"phase"` // its place among the phases, from 0
	Name        string      `json:"name"`
	Description string      `json:"description"`
	DependsOn   []string    `json:"depends_on"`
	Agents      []string    `json:"agents"`
	Files       []string    `json:"files"`          // paths and patterns; none claims every file
	Iterations  int         `json:"max_iterations"` // 0: those of the bounds
	Criteria    []Criterion `json:"success_criteria"`
	Line        int         `json:"line"`
}

// Criterion is met when its command passes or, if it has none, when a verifier
// says so.
type Criterion struct {
	Key  string `json:"key"` // as in success_criteria_met: tests_pass
	Text string `json:"text"`
	Run  string `json:"run,omitempty"`
	Line int    `json:"line"`
}

// Command is run when everything is done.
type Command struct {
	Text string `json:"text,omitempty"`
	Run  string `json:"run"`
	Line int    `json:"line"`
}

// Note is a section that nothing is read from.
type Note struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Line  int    `json:"line"`
}

// Defect is something wrong, and where: line and column count from 1, and are 0
// for what does not come from a text.
type Defect struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

func (d Defect) String() string {
	if d.Line == 0 {
		return d.Message
	}
	return fmt.Sprintf("%d:%d: %s", d.Line, d.Column, d.Message)
}

// Defects are what is wrong with the document of a file.
type Defects struct {
	File string
	List []Defect
}

func (d *Defects) Error() string {
	lines := make([]string, len(d.List))
	for i, x := range d.List {
		lines[i] = d.File + ":" + x.String()
	}
	return strings.Join(lines, "\n")
}

//go:embed template.md
var template string

// Template is a document to begin with, which explains itself and runs as it is.
func Template() string { return template }

// Tasks are all tasks of a document, in its order.
func (d *Document) Tasks() []Task {
	var all []Task
	for _, p := range d.Phases {
		all = append(all, p.Tasks...)
	}
	return all
}

// Checks are the commands that have to pass when everything is done.
func (d *Document) Checks() (lines []string) {
	for _, c := range d.Verification {
		lines = append(lines, c.Run)
	}
	return lines
}

// CommandsOf are the commands of criteria that have one.
func CommandsOf(list []Criterion) (lines []string) {
	for _, c := range list {
		if c.Run != "" {
			lines = append(lines, c.Run)
		}
	}
	return lines
}

// Judged are the criteria without a command, which a verifier judges.
func Judged(list []Criterion) (judged []Criterion) {
	for _, c := range list {
		if c.Run == "" {
			judged = append(judged, c)
		}
	}
	return judged
}

// Keys are the keys of criteria.
func Keys(list []Criterion) (keys []string) {
	for _, c := range list {
		keys = append(keys, c.Key)
	}
	return keys
}

// defaults is a document that sets nothing.
func defaults() *Document {
	return &Document{
		Bounds:     Bounds{Iterations: 30, MicroUSD: 10_000_000, Time: 2 * time.Hour},
		Supervisor: Supervisor{Enabled: true, PreTask: true, PostTask: true, OnDemand: true, MaxRePlans: 3},
		OuterLoop:  OuterLoop{Enabled: true, Iterations: 3},
	}
}
