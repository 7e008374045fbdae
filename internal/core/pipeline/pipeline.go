// Package pipeline reads pipeline files: stages, what each waits for, and the
// prompts that its agents get. Load either understands a file whole, or reports
// everything that is wrong with it by line and column, before anything runs. A
// loop is a pipeline of one stage, so the defaults are the same for both. Files and
// the names of agents come in as an Outside.
//
// A file becomes a tree of nodes with their places (yaml.go, node.go); tables say what
// each mapping may hold and where it goes (fields.go, values.go, dialect.go); flags
// replace what the file says (flags.go); edges.go makes the graph of stages; load.go
// fills in what is left out, and validate.go checks the result.
package pipeline

import "time"

// Pipeline is a pipeline file.
type Pipeline struct {
	File        string
	Name        string
	Description string
	Commands    []Command
	Agent       string // of stages that name none; "": the settings' own
	Model       string
	Context     string        // of stages that have none
	Initial     []string      // files that the session was given to begin with
	MaxCost     int64         // micro-dollars for the whole session; 0: no bound
	MaxTime     time.Duration // for the whole session; 0: no bound
	Stages      []Stage

	at places
}

// Command is a named command line of the project, for agents to know.
type Command struct{ Name, Line string }

// Stage is one loop of a pipeline. After Load all that was left out is filled
// in: from its loop, from the pipeline, from the defaults.
type Stage struct {
	ID            string
	Description   string
	Loop          string // as written: a built-in's name, the path of a file, or the name of a stage folder; "": the prompt is its own
	Prompt        string // a template, or the path of one; after Load the template, which asks for a result
	ResultIsFile  bool   // ${RESULT} in the prompt is the path of a file: it is that of a stage folder
	Context       string
	OutputPath    string // a template; where in the project the output is put as well; "": nowhere
	Until         string
	Runs          int // at most so many iterations
	MinIterations int // 0: as many as the strategy wants
	Agent         string
	Model         string
	Judge         *Judge // of the strategy judge
	Inputs        []Input
	Delay         time.Duration // before each further iteration
	MaxTime       time.Duration // 0: no bound
	MaxCost       int64         // micro-dollars; 0: no bound
	NoProgress    int           // iterations without a change that end the stage; 0: no bound
	Commit        bool          // what an iteration changed is committed
	MayBeEmpty    bool          // its output, also where another stage reads it
	Verify        []string      // names of commands that must pass after an iteration
	Parallel      *Parallel
	After         []int // the stages it waits for, as indices into Stages

	needs    []reference
	at       places
	inBranch bool // it is a stage of a parallel block
}

// reference is the name of a stage, where another names it.
type reference struct {
	name string
	at   place
}

// Input is what a stage reads of another's output.
type Input struct {
	// From is a stage, a branch of a parallel one (STAGE.MEMBER), or a stage of a
	// branch (STAGE.MEMBER.SUB; within the branch SUB alone).
	From string
	All  bool // the outputs of all iterations, not only of the latest
	// Initial: it is the files that the session was given, and From is "".
	Initial bool
	// Stage and Provider are of what one branch of several left, which from_parallel
	// asked for.
	Stage, Provider string

	of *branchOutputs // not resolved yet
	at place
}

// Judge is an agent that decides: when to stop, or whose output is best.
type Judge struct {
	Agent, Model string
	Prompt       string // as that of a stage; the built-in one when the file has none

	at places
}

// Parallel has several agents do the same stage, or the same stages one after the
// other, each in its own work tree.
type Parallel struct {
	Agents []Member
	Stages []Stage // that each branch does; nil: the stage itself
	Choose string  // what goes downstream: ByJudge, Best, First or All
	Judge  *Judge  // who chooses; nil: no agent does

	at places
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
	ID, Agent, Model string
	Inputs           []Input // besides those of the stage

	at places
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
