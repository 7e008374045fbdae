// Package taskdoc reads task documents: Markdown that describes a workflow's goal, its phases and
// tasks, its bounds, and how to verify that each is done. Parse reports all defects at once, with
// their positions; a document without defects can run as it is. Order and Ready decide which task
// runs when, and Rewrite applies a new plan to pending tasks.
package taskdoc

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits of a document.
const (
	MaxBytes   = 256 << 10
	MaxLine    = 4 << 10  // bytes of a line
	MaxBlock   = 32 << 10 // bytes without an empty line in between
	MaxTasks   = 1000
	MaxCommand = 4096 // bytes of a command
)

// Document is a task document.
type Document struct {
	Title        string      `json:"title"`
	Goal         string      `json:"goal"`
	Context      string      `json:"context"`
	Criteria     []Criterion `json:"success_criteria"` // for the whole document
	Bounds       Bounds      `json:"safety_bounds"`
	Supervisor   Supervisor  `json:"supervisor"`
	OuterLoop    OuterLoop   `json:"outer_loop"`
	Phases       []Phase     `json:"phases"`
	Verification []Command   `json:"verification"`
	Rollback     string      `json:"rollback_plan"`
	Notes        []Note      `json:"notes"` // sections that only people and agents read
	Line         int         `json:"line"`  // of the title
	// Warnings deserve a person's attention but do not stop a run.
	Warnings []Defect `json:"warnings"`
}

// Bounds limit what a workflow may spend.
type Bounds struct {
	Iterations int           `json:"max_iterations_per_task"`
	MicroUSD   int64         `json:"max_cost_micro_usd"`
	Time       time.Duration `json:"max_time_ns"`
}

// Supervisor configures when the supervisor reviews the work.
type Supervisor struct {
	Enabled    bool `json:"enabled"`
	PreTask    bool `json:"pre_task"`
	PostTask   bool `json:"post_task"`
	OnDemand   bool `json:"on_demand"`
	MaxRePlans int  `json:"max_re_plans"`
}

// OuterLoop configures whether, and how often, finished work is polished.
type OuterLoop struct {
	Enabled    bool `json:"enabled"`
	Iterations int  `json:"max_iterations"`
}

// Phase is a group of tasks. It begins when the previous phase is finished.
type Phase struct {
	Number      int    `json:"number"` // as in the document; -1 if unreadable
	Name        string `json:"name"`
	Description string `json:"description"`
	Tasks       []Task `json:"tasks"`
	Line        int    `json:"line"`
}

// Task is done when all its criteria are met.
type Task struct {
	ID          string      `json:"task"`
	Phase       int         `json:"phase"` // index among the phases, from 0
	Name        string      `json:"name"`
	Description string      `json:"description"`
	DependsOn   []string    `json:"depends_on"`
	Agents      []string    `json:"agents"`
	Files       []string    `json:"files"`          // paths and patterns; none claims every file
	Iterations  int         `json:"max_iterations"` // 0: as in Bounds
	Criteria    []Criterion `json:"success_criteria"`
	Line        int         `json:"line"`
}

// Criterion is met when its command passes or, without one, when a verifier says so.
type Criterion struct {
	Key  string `json:"key"` // as in success_criteria_met: tests_pass
	Text string `json:"text"`
	Run  string `json:"run,omitempty"`
	Line int    `json:"line"`
}

// Command runs when everything is done.
type Command struct {
	Text string `json:"text,omitempty"`
	Run  string `json:"run"`
	Line int    `json:"line"`
}

// Note is a section that is kept but not interpreted.
type Note struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Line  int    `json:"line"`
}

// Defect is something wrong at a position. Line and column count from 1; both are 0 without a text.
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

// Defects are the defects of one file.
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

// Template returns a document to start from, which explains itself and runs as it is.
func Template() string { return template }

// Tasks returns all tasks, in document order.
func (d *Document) Tasks() []Task {
	var all []Task
	for _, p := range d.Phases {
		all = append(all, p.Tasks...)
	}
	return all
}

// Checks returns the commands that must pass when everything is done.
func (d *Document) Checks() (lines []string) {
	for _, c := range d.Verification {
		lines = append(lines, c.Run)
	}
	return lines
}

// Commands returns all commands that a document runs.
func (d *Document) Commands() []string {
	lines := append(d.Checks(), CommandsOf(d.Criteria)...)
	for _, t := range d.Tasks() {
		lines = append(lines, CommandsOf(t.Criteria)...)
	}
	return lines
}

// CommandsOf returns the commands of criteria that have one.
func CommandsOf(list []Criterion) (lines []string) {
	for _, c := range list {
		if c.Run != "" {
			lines = append(lines, c.Run)
		}
	}
	return lines
}

// Judged returns the criteria without a command, which a verifier judges.
func Judged(list []Criterion) (judged []Criterion) {
	for _, c := range list {
		if c.Run == "" {
			judged = append(judged, c)
		}
	}
	return judged
}

func Keys(list []Criterion) (keys []string) {
	for _, c := range list {
		keys = append(keys, c.Key)
	}
	return keys
}

// defaults returns a document with default settings.
func defaults() *Document {
	return &Document{
		Bounds:     Bounds{Iterations: 30, MicroUSD: 10_000_000, Time: 2 * time.Hour},
		Supervisor: Supervisor{Enabled: true, PreTask: true, PostTask: true, OnDemand: true, MaxRePlans: 3},
		OuterLoop:  OuterLoop{Enabled: true, Iterations: 3},
	}
}

// SameTask reports whether two tasks ask for the same, wherever they are in the document.
func SameTask(a, b Task) bool {
	return a.Name == b.Name && a.Description == b.Description && slices.Equal(a.Files, b.Files) && slices.Equal(a.DependsOn, b.DependsOn) &&
		slices.EqualFunc(a.Criteria, b.Criteria, func(x, y Criterion) bool { return x.Text == y.Text && x.Run == y.Run })
}
