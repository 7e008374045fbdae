// Package pipeline reads pipeline files: stages, what each waits for, and the
// prompts that its agents get. A file is either understood whole, or everything
// that is wrong with it is named with line and column, before anything runs. A
// loop is a pipeline of one stage, so the defaults are the same for both. What
// is on disk, which strategies and agents there are, comes in as an Outside;
// running stages is left to others.
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
	MaxCost     int64         // micro-dollars for the whole session; 0: no bound
	MaxTime     time.Duration // for the whole session; 0: no bound
	Stages      []Stage

	at map[string]place
}

// Command is a named command line of the project, for agents to know.
type Command struct{ Name, Line string }

// Stage is one loop of a pipeline. After Load all that was left out is filled
// in: from its loop, from the pipeline, from the defaults.
type Stage struct {
	ID            string
	Loop          string // as written: a built-in's name or the path of a file; "": the prompt is its own
	Prompt        string // a template; after Load it asks for a result
	PromptFile    string // as written; "": the prompt was inline
	Until         string
	Runs          int // at most so many iterations
	MinIterations int // 0: as many as the strategy wants
	Agent         string
	Model         string
	Judge         *Judge // of the strategy judge
	Inputs        []Input
	Needs         []string
	Delay         time.Duration // before each further iteration
	MaxTime       time.Duration // 0: no bound
	MaxCost       int64         // micro-dollars; 0: no bound
	NoProgress    int           // iterations without a change that end the stage; 0: no bound
	Commit        bool          // what an iteration changed is committed
	MayBeEmpty    bool          // its output, also where another stage reads it
	Verify        []string      // names of commands that must pass after an iteration
	Parallel      *Parallel
	After         []int // the stages it waits for, as indices into Stages

	at map[string]place // where each key was written
}

// Input is what a stage reads of another's output.
type Input struct {
	From string
	All  bool // the outputs of all iterations, not only of the latest
}

// Judge is an agent that decides: when to stop, or whose output is best.
type Judge struct {
	Agent, Model string
	Prompt       string // a template; the built-in one when the file has none

	file    string
	at      place // of the prompt, or of it all
	agentAt place
}

// Parallel has the same stage done by several agents, each in a folder of its own.
type Parallel struct {
	Agents []Member
	Judge  *Judge // picks one output; nil: all are kept
}

// Member is one of the agents of a parallel stage.
type Member struct {
	ID, Agent, Model string

	at place
}

// Outside is what files refer to and only the caller knows.
type Outside struct {
	// Read reads a file that a file names. The path is joined with the folder of
	// the file that names it; how far up it may lead is for Read to say.
	Read func(path string) ([]byte, error)
	// Loop is the file of a built-in loop; nil: BuiltInLoop.
	Loop   func(name string) ([]byte, bool)
	Until  func(strategy string) error // nil: any will do
	Agents []string                    // nil: any will do
}
