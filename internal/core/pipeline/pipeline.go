// Package pipeline reads pipeline files: stages, what each waits for, and the
// prompts that its agents get. Load either understands a file whole, or reports
// everything that is wrong with it by line and column, before anything runs. A
// loop is a pipeline of one stage, so the defaults are the same for both. Files and
// the names of agents come in as an Outside.
//
// A file becomes a tree of nodes with their places (yamltree). Each mapping is said in our
// own words (dialect.go) and decoded by the tags below and the tables in decode.go and
// formats.go; each struct keeps its node, for the places of its keys. Flags, loops and what
// stages inherit change the nodes (flags.go, loops.go, load.go), which are decoded again:
// there is one way from words to values. link.go makes the graph of stages, complete.go
// fills in what is left out, and validate.go checks the result.
package pipeline

import (
	"time"

	"warp/internal/core/yamltree"
)

// Problem is one thing that is wrong with a file or a flag.
type Problem = yamltree.Problem

// Pipeline is a pipeline file.
type Pipeline struct {
	File        string
	Name        string        `yaml:"name" is:"name"`
	Description string        `yaml:"description" is:"text"`
	Agent       string        `yaml:"agent" is:"agent"` // of stages that name none; "": the settings' own
	Model       string        `yaml:"model" is:"line"`
	Context     string        `yaml:"context" is:"text"` // of stages that have none
	Initial     []string      // files that the session was given to begin with
	MaxCost     int64         `yaml:"max_cost" is:"dollars"` // micro-dollars for the whole session; 0: no bound
	MaxTime     time.Duration `yaml:"max_time" is:"time"`    // for the whole session; 0: no bound
	Commands    []Command     `yaml:"commands" is:"commands"`
	Stages      []Stage       `yaml:"stages" is:"a stage"`

	written
}

// Command is a named command line of the project, for agents to know.
type Command struct{ Name, Line string }

// Stage is one loop of a pipeline. After Load all that was left out is filled
// in: from its loop, from the pipeline, from the defaults.
type Stage struct {
	ID            string        `yaml:"id" is:"name"`
	Description   string        `yaml:"description" is:"text"`
	Loop          string        `yaml:"loop" is:"line"`    // as written: a built-in's name, the path of a file, or the name of a stage folder; "": the prompt is its own
	Folder        string        `yaml:"stage" is:"name"`   // the dialect's word for a loop that is a stage folder
	Prompt        string        `yaml:"prompt" is:"prose"` // a template, or the path of one; after Load the template, which asks for a result
	ResultIsFile  bool          // ${RESULT} in the prompt is the path of a file: it is that of a stage folder
	Context       string        `yaml:"context" is:"text"`
	OutputPath    string        `yaml:"output_path" is:"path"` // a template; where in the project the output is put as well; "": nowhere
	Until         string        `yaml:"until" is:"until"`
	Runs          int           `yaml:"runs" is:"count"`           // at most so many iterations
	MinIterations int           `yaml:"min_iterations" is:"count"` // 0: as many as the strategy wants
	Agent         string        `yaml:"agent" is:"agent"`
	Model         string        `yaml:"model" is:"line"`
	Judge         *Judge        `yaml:"judge" is:"judge"` // of the strategy judge
	Inputs        []Input       `yaml:"inputs" is:"inputs"`
	Needs         []string      `yaml:"needs" is:"line"`
	Delay         time.Duration `yaml:"delay" is:"delay"` // before each further iteration
	Guardrails    `yaml:"guardrails" is:"guardrails"`
	Commit        bool      `yaml:"commit" is:"truth"`       // what an iteration changed is committed
	MayBeEmpty    bool      `yaml:"may_be_empty" is:"truth"` // its output, also where another stage reads it
	Verify        []string  `yaml:"verify" is:"line"`        // names of commands that must pass after an iteration
	Parallel      *Parallel `yaml:"parallel" is:"parallel"`
	After         []int     // the stages it waits for, as indices into Stages

	_ struct{} `yaml:"termination"` // the dialect's word for until, runs and min_iterations
	written
}

// Guardrails bound a stage; 0: no bound.
type Guardrails struct {
	MaxTime    time.Duration `yaml:"max_runtime_seconds" is:"seconds"`
	MaxCost    int64         `yaml:"max_cost" is:"dollars"`  // micro-dollars
	NoProgress int           `yaml:"no_progress" is:"count"` // iterations without a change that end the stage

	written
}

// Input is what a stage reads of another's output.
type Input struct {
	// From is a stage, a branch of a parallel one (STAGE.MEMBER), or a stage of a
	// branch (STAGE.MEMBER.SUB; within the branch SUB alone).
	From string `yaml:"from" is:"line"`
	All  bool   `yaml:"select" is:"select"` // the outputs of all iterations, not only of the latest
	// Initial: it is the files that the session was given, and From is "".
	Initial bool `yaml:"from_initial" is:"truth"`
	// Branches is nil after Load, which makes an input of each branch that it asks for,
	// with a Stage and a Provider.
	Branches        []branchOutputs `yaml:"from_parallel" is:"from_parallel"`
	Stage, Provider string

	written
}

// Judge is an agent that decides: when to stop, or whose output is best.
type Judge struct {
	Agent  string `yaml:"agent" is:"agent"`
	Model  string `yaml:"model" is:"line"`
	Prompt string `yaml:"prompt" is:"prose"` // as that of a stage; the built-in one when the file has none

	written
}

// Parallel has several agents do the same stage, or the same stages one after the
// other, each in its own work tree.
type Parallel struct {
	Agents []Member `yaml:"agents" is:"an agent"`
	Stages []Stage  `yaml:"stages" is:"a stage of a parallel block"` // that each branch does; nil: the stage itself
	Choose string   `yaml:"choose" is:"choice"`                      // what goes downstream: ByJudge, Best, First or All
	Judge  *Judge   `yaml:"judge" is:"judge"`                        // who chooses; nil: no agent does

	written
}

// What is chosen of the branches of a parallel stage.
const (
	ByJudge = "judge" // what an agent chooses
	Best    = "best"  // the branch whose checks pass, with the most tests
	First   = "first" // the branch that is done first
	All     = "all"   // every output, and no changes
)

// Member is one of the agents of a parallel stage, and its branch.
type Member struct {
	ID     string  `yaml:"id" is:"name"`
	Agent  string  `yaml:"agent" is:"agent"`
	Model  string  `yaml:"model" is:"line"`
	Inputs []Input `yaml:"inputs" is:"inputs"` // besides those of the stage

	written
}

// Outside is what files refer to and only the caller knows.
type Outside struct {
	// Read reads a file that a file names. The path is joined with the folder of
	// the file that names it; how far up it may lead is for Read to say.
	Read func(path string) ([]byte, error)
	// Missing tells that there is no such file; nil: that is all that Read can say.
	Missing func(error) bool
	// Loop is the file of a built-in loop; nil: the library's.
	Loop   func(name string) ([]byte, bool)
	Stages []string // folders with stage folders, looked into before the file's own
	Agents []string // nil: any will do
}
