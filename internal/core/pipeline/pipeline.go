// Package pipeline reads pipeline files: stages, what each waits for, and the
// prompts that its agents get. Load either understands a file whole, or reports
// everything that is wrong with it by line and column, before anything runs. A
// loop is a pipeline of one stage, so the defaults are the same for both. Files and
// the names of agents come in as an Outside.
//
// A file becomes a tree of nodes with their places (yaml.go, node.go), which is decoded
// by the tags below and the tables in schema.go; each struct knows where its keys were
// written. Flags replace what a file says, and stages inherit what they do not say
// (flags.go, loops.go). link.go makes the graph of stages, load.go fills in what is left
// out, and validate.go checks the result.
package pipeline

import "time"

// Pipeline is a pipeline file.
type Pipeline struct {
	File        string
	Name        string        `yaml:"name,name"`
	Description string        `yaml:"description,text"`
	Agent       string        `yaml:"agent,agent"` // of stages that name none; "": the settings' own
	Model       string        `yaml:"model,line"`
	Context     string        `yaml:"context,text"` // of stages that have none
	Initial     []string      // files that the session was given to begin with
	MaxCost     int64         `yaml:"max_cost,dollars"` // micro-dollars for the whole session; 0: no bound
	MaxTime     time.Duration `yaml:"max_time,span"`    // for the whole session; 0: no bound
	Commands    []Command     `yaml:"commands,commands"`
	Stages      []Stage       `yaml:"stages,a stage"`

	marks
}

// Command is a named command line of the project, for agents to know.
type Command struct{ Name, Line string }

// Stage is one loop of a pipeline. After Load all that was left out is filled
// in: from its loop, from the pipeline, from the defaults.
type Stage struct {
	ID            string        `yaml:"id,name"`
	Description   string        `yaml:"description,text"`
	Loop          string        `yaml:"loop,line"`    // as written: a built-in's name, the path of a file, or the name of a stage folder; "": the prompt is its own
	Folder        string        `yaml:"stage,name"`   // the dialect's word for a loop that is a stage folder
	Prompt        string        `yaml:"prompt,prose"` // a template, or the path of one; after Load the template, which asks for a result
	ResultIsFile  bool          // ${RESULT} in the prompt is the path of a file: it is that of a stage folder
	Context       string        `yaml:"context,text"`
	OutputPath    string        `yaml:"output_path,path"` // a template; where in the project the output is put as well; "": nowhere
	Until         string        `yaml:"until,line"`
	Runs          int           `yaml:"runs,count"`           // at most so many iterations
	MinIterations int           `yaml:"min_iterations,count"` // 0: as many as the strategy wants
	Agent         string        `yaml:"agent,agent"`
	Model         string        `yaml:"model,line"`
	Judge         *Judge        `yaml:"judge,judge"` // of the strategy judge
	Inputs        []Input       `yaml:"inputs,inputs"`
	Needs         []string      `yaml:"needs,line"`
	Delay         time.Duration `yaml:"delay,time"`                             // before each further iteration
	MaxTime       time.Duration `yaml:"guardrails.max_runtime_seconds,seconds"` // 0: no bound
	MaxCost       int64         `yaml:"guardrails.max_cost,dollars"`            // micro-dollars; 0: no bound
	NoProgress    int           `yaml:"guardrails.no_progress,count"`           // iterations without a change that end the stage; 0: no bound
	Commit        bool          `yaml:"commit,truth"`                           // what an iteration changed is committed
	MayBeEmpty    bool          `yaml:"may_be_empty,truth"`                     // its output, also where another stage reads it
	Verify        []string      `yaml:"verify,line"`                            // names of commands that must pass after an iteration
	Parallel      *Parallel     `yaml:"parallel,parallel"`
	After         []int         // the stages it waits for, as indices into Stages

	_ struct{} `yaml:"termination,termination"` // the dialect's word for until, runs and min_iterations
	marks
}

// Input is what a stage reads of another's output.
type Input struct {
	// From is a stage, a branch of a parallel one (STAGE.MEMBER), or a stage of a
	// branch (STAGE.MEMBER.SUB; within the branch SUB alone).
	From string `yaml:"from,line"`
	All  bool   `yaml:"select,select"` // the outputs of all iterations, not only of the latest
	// Initial: it is the files that the session was given, and From is "".
	Initial bool `yaml:"from_initial,truth"`
	// Branches is nil after Load, which makes an input of each branch that it asks for,
	// with a Stage and a Provider.
	Branches        []branchOutputs `yaml:"from_parallel,from_parallel"`
	Stage, Provider string

	marks
}

// Judge is an agent that decides: when to stop, or whose output is best.
type Judge struct {
	Agent  string `yaml:"agent,agent"`
	Model  string `yaml:"model,line"`
	Prompt string `yaml:"prompt,prose"` // as that of a stage; the built-in one when the file has none

	marks
}

// Parallel has several agents do the same stage, or the same stages one after the
// other, each in its own work tree.
type Parallel struct {
	Agents []Member `yaml:"agents,an agent"`
	Stages []Stage  `yaml:"stages,a stage of a parallel block"` // that each branch does; nil: the stage itself
	Choose string   `yaml:"choose,choice"`                      // what goes downstream: ByJudge, Best, First or All
	Judge  *Judge   `yaml:"judge,judge"`                        // who chooses; nil: no agent does

	marks
}

// What is chosen of the branches of a parallel stage.
const (
	ByJudge = "judge" // what an agent chooses
	Best    = "best"  // the branch whose checks pass, with the most tests
	First   = "first" // the branch that is done first
	All     = "all"   // every output, and no changes
)

// choices are all of them.
var choices = []string{ByJudge, Best, First, All}

// Member is one of the agents of a parallel stage, and its branch.
type Member struct {
	ID     string  `yaml:"id,name"`
	Agent  string  `yaml:"agent,agent"`
	Model  string  `yaml:"model,line"`
	Inputs []Input `yaml:"inputs,inputs"` // besides those of the stage

	marks
}

// Outside is what files refer to and only the caller knows.
type Outside struct {
	// Read reads a file that a file names. The path is joined with the folder of
	// the file that names it; how far up it may lead is for Read to say.
	Read func(path string) ([]byte, error)
	// Missing tells that there is no such file; nil: that is all that Read can say.
	Missing func(error) bool
	// Loop is the file of a built-in loop; nil: BuiltInLoop.
	Loop   func(name string) ([]byte, bool)
	Stages []string // folders with stage folders, looked into before the file's own
	Agents []string // nil: any will do
}
