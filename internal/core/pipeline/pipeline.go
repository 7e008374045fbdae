// Package pipeline reads pipeline files: stages, their dependencies and the prompts of their
// agents. Load either understands a whole file, or reports all problems by line and column before
// anything runs. A loop is a pipeline of one stage, so both have the same defaults. Files and the
// names of agents come in as an Outside.
//
// A file becomes a tree of nodes with positions, which yamltree decodes once, by the tags below and
// the tables in rules.go. Before it decodes a mapping, complete.go puts it in our own terms, and adds
// what flags, loops and the mappings around it say. link.go then builds the graph of stages, and
// rules.go checks the whole. Each struct keeps its node, for positions.
package pipeline

import (
	"cmp"
	"slices"
	"time"

	"warp/internal/core/yamltree"
)

type written = yamltree.Written

// Pipeline is a pipeline file.
type Pipeline struct {
	File        string
	Name        string        `yaml:"name" is:"name"`
	Description string        `yaml:"description" is:"text"`
	Agent       string        `yaml:"agent" is:"line"` // default for stages; "": from the settings
	Model       string        `yaml:"model" is:"line"`
	Context     string        `yaml:"context" is:"text"` // default for stages
	Initial     []string      // initial files of the session
	MaxCost     int64         `yaml:"max_cost" is:"dollars"` // micro-dollars for the whole session; 0: no limit
	MaxTime     time.Duration `yaml:"max_time" is:"time"`    // for the whole session; 0: no limit
	Commands    []Command     `yaml:"commands"`
	Stages      []Stage       `yaml:"stages" is:"a stage"`
	written
}

// Command is a named command line of the project, which agents are told about.
type Command struct{ Name, Line string }

// Stage is one loop of a pipeline. Load fills in what it omits, from its loop, the pipeline and the
// defaults.
type Stage struct {
	ID            string        `yaml:"id" is:"name"`
	Description   string        `yaml:"description" is:"text"`
	Loop          string        `yaml:"loop" is:"line"`    // as written: a built-in's name, a file's path, or a stage folder's name; "": it has its own prompt
	Prompt        string        `yaml:"prompt" is:"prose"` // a template, or the path of one; after Load the template, with the request for a result
	ResultIsFile  bool          // the prompt is a stage folder's: there, ${RESULT} is the path of a file
	Context       string        `yaml:"context" is:"text"`
	OutputPath    string        `yaml:"output_path" is:"path"` // a template; where in the project to copy the output; "": nowhere
	Until         string        `yaml:"until" is:"until"`
	Runs          int           `yaml:"runs" is:"count"`           // the most iterations
	MinIterations int           `yaml:"min_iterations" is:"count"` // 0: the strategy's minimum
	Agent         string        `yaml:"agent" is:"line"`
	Model         string        `yaml:"model" is:"line"`
	Judge         *Judge        `yaml:"judge" is:"judge"` // for the strategy judge
	Inputs        []Input       `yaml:"inputs" is:"inputs"`
	Needs         []string      `yaml:"needs" is:"line"`
	Delay         time.Duration `yaml:"delay" is:"delay"` // before each further iteration
	Guardrails    `yaml:"guardrails" is:"guardrails"`
	Commit        bool      `yaml:"commit" is:"truth"`       // commit what an iteration changed
	MayBeEmpty    bool      `yaml:"may_be_empty" is:"truth"` // its output, even if another stage reads it
	Verify        []string  `yaml:"verify" is:"line"`        // names of commands that must pass after an iteration
	Parallel      *Parallel `yaml:"parallel" is:"parallel"`
	After         []int     // indices of the stages it waits for

	_ struct{} `yaml:"termination"` // the dialect's name for until, runs and min_iterations
	written
}

// Guardrails limit a stage; 0: no limit.
type Guardrails struct {
	MaxTime    time.Duration `yaml:"max_runtime_seconds" is:"seconds"`
	MaxCost    int64         `yaml:"max_cost" is:"dollars"`  // micro-dollars
	NoProgress int           `yaml:"no_progress" is:"count"` // end after this many iterations without a change
	written
}

// Input selects another stage's output for a stage to read.
type Input struct {
	// From is a stage, a branch of a parallel one (STAGE.MEMBER), or a stage of a branch
	// (STAGE.MEMBER.SUB; within the branch just SUB).
	From    string `yaml:"from" is:"line"`
	All     bool   `yaml:"select" is:"select"`      // the outputs of all iterations, not just the latest
	Initial bool   `yaml:"from_initial" is:"truth"` // the session's initial files; From is ""
	// Branches is nil after Load, which turns each selected branch into an input with a Stage and a
	// Provider.
	Branches        []branchOutputs `yaml:"from_parallel" is:"from_parallel"`
	Stage, Provider string
	written
}

// branchOutputs selects the outputs of a parallel stage's branches.
type branchOutputs struct {
	Stage     string   `yaml:"stage" is:"line"`
	Block     string   `yaml:"block" is:"line"`
	Providers []string `yaml:"providers" is:"line"` // nil: all
	All       bool     `yaml:"select" is:"select"`
	written
}

// Judge is an agent that decides when to stop, or whose output is best.
type Judge struct {
	Agent  string `yaml:"agent" is:"line"`
	Model  string `yaml:"model" is:"line"`
	Prompt string `yaml:"prompt" is:"prose"` // as for a stage; the built-in one by default
	written
}

// Parallel has several agents run the same stage, or the same series of stages, each in its own
// work tree.
type Parallel struct {
	Agents []Member `yaml:"agents" is:"an agent"`
	Stages []Stage  `yaml:"stages" is:"a stage of a parallel block"` // run by each branch; nil: the stage itself
	Choose string   `yaml:"choose" is:"choice"`                      // what is passed on: ByJudge, Best, First or All
	Judge  *Judge   `yaml:"judge" is:"judge"`                        // the agent that chooses; nil: none
	written
}

// The ways to choose among the branches of a parallel stage.
const (
	ByJudge = "judge" // an agent chooses
	Best    = "best"  // the branch whose checks pass, with the most tests
	First   = "first" // the first branch to finish
	All     = "all"   // every output, and no changes
)

// Member is one agent of a parallel stage, with its branch.
type Member struct {
	ID     string  `yaml:"id" is:"name"`
	Agent  string  `yaml:"agent" is:"line"`
	Model  string  `yaml:"model" is:"line"`
	Inputs []Input `yaml:"inputs" is:"inputs"` // in addition to the stage's
	written
}

// Outside provides what files refer to and only the caller knows.
type Outside struct {
	// Read reads a file named in another, with its path joined to that file's folder. Read decides
	// how far up the path may lead.
	Read func(path string) ([]byte, error)
	// Missing reports whether an error means that the file does not exist; nil: every error does.
	Missing func(error) bool
	Loop    func(name string) ([]byte, bool) // returns the file of a built-in loop
	Stages  []string                         // folders with stage folders, searched before the file's own
	Agents  []string                         // nil: any
}

// block returns the parallel block of a stage, or an empty one.
func (s *Stage) block() *Parallel { return cmp.Or(s.Parallel, &Parallel{}) }

// inChain returns the index of a stage that each branch of a parallel one runs, or -1.
func (s *Stage) inChain(id string) int {
	return slices.IndexFunc(s.block().Stages, func(sub Stage) bool { return sub.ID == id })
}

// Order returns an order in which the stages can run: of those that wait for nothing, the first as
// written. It omits stages that wait for each other.
func (p *Pipeline) Order() (order []int) {
	isDone := func(i int) bool { return slices.Contains(order, i) }
	for i := 0; i < len(p.Stages); i++ {
		if !isDone(i) && !slices.ContainsFunc(p.Stages[i].After, func(a int) bool { return !isDone(a) }) {
			order, i = append(order, i), -1 // an earlier stage may be next
		}
	}
	return order
}
