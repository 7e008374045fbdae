package pipeline

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/sessionstate"
)

// reader reads a file and all files that it refers to.
type reader struct {
	decoder
	out      Outside
	commands []Command // that templates may name
}

// Load reads a pipeline file and all that it refers to, and fills in what its
// stages leave out. What flags say comes before what the file says. The pipeline is
// nil when there is a problem.
func Load(file string, content []byte, out Outside, flags ...Setting) (*Pipeline, []Problem) {
	r := &reader{out: out}
	p := r.readFile(file, content, flags)
	return r.complete(p)
}

// LoadLoop makes the pipeline of one stage that a loop is, from flags.
func LoadLoop(id string, flags []Setting, out Outside) (*Pipeline, []Problem) {
	r := &reader{out: out}
	here := marks{places{"": {src: &source{file: id}}}}
	stage := Stage{marks: marks{maps.Clone(here.at)}}
	r.setKey(&stage, stage.at, Setting{"id", id, id})
	ofSession := slices.DeleteFunc(slices.Clone(flags), func(f Setting) bool { return r.setKey(&stage, stage.at, f) })
	p := &Pipeline{Name: id, Stages: []Stage{stage}, marks: here}
	r.resolve(p, ofSession)
	return r.complete(p)
}

// readFile reads a pipeline as its file, the flags and its loops say it; nil when the
// text is not a YAML mapping at all.
func (r *reader) readFile(file string, content []byte, flags []Setting) *Pipeline {
	p := &Pipeline{File: file}
	n := r.parseYAML(file, content)
	if n == nil || !r.decode(n, "a pipeline", reflect.ValueOf(p).Elem()) {
		return nil
	}
	r.resolve(p, flags)
	return p
}

// resolve adds to a pipeline what its flags and loops say, and links its stages.
func (r *reader) resolve(p *Pipeline, flags []Setting) {
	for s := range p.eachStage() {
		r.checkSource(s)
	}
	for _, f := range flags {
		r.applyFlag(p, f)
	}
	for s, block := range p.eachStage() {
		r.resolveStage(p, s, block)
	}
	l := linker{problems: &r.problems, Pipeline: p, isDialect: r.isDialect}
	l.linkStages()
}

// complete fills in what no one said, and checks the result.
func (r *reader) complete(p *Pipeline) (*Pipeline, []Problem) {
	if p != nil {
		r.commands = p.Commands
		for s := range p.eachStage() {
			s.applyDefaults()
			prompt := s.at["prompt"]
			s.ResultIsFile = prompt.src != nil && prompt.src.file != p.File && path.Base(prompt.src.file) == folderFile
			r.readPrompts(s)
		}
		r.validate(p)
	}
	if len(r.found) > 0 {
		return nil, r.sorted()
	}
	return p, nil
}

// strategy is what until says; none when it is wrong.
func (s *Stage) strategy() sessionstate.Until {
	u, _ := sessionstate.ParseUntil(s.Until)
	return u
}

// applyDefaults fills in what was not said: as many iterations as are wanted, or until
// a plateau.
func (s *Stage) applyDefaults() {
	if p := s.Parallel; p != nil {
		switch {
		case p.Choose == "" && p.Judge == nil:
			p.Choose = All
		case p.Choose == "":
			p.Choose = ByJudge
		case p.Choose == ByJudge && p.Judge == nil:
			p.Judge = &Judge{marks: marks{places{"": p.at["choose"]}}}
		}
	}
	if s.isChain() { // its stages say all that
		return
	}
	u := s.strategy()
	switch {
	case s.Until == "" && s.Runs == 0:
		s.Until = string(sessionstate.Plateau)
	case s.Until == "" || u.Kind == sessionstate.Fixed && u.N == 0 && s.Runs > 0:
		s.runFixed()
	case u.Kind == sessionstate.Plateau && s.Runs > 0 && s.Runs < max(u.N, s.MinIterations) && s.isTerminatedByLoop():
		s.runFixed() // what its folder wants could never be met
		s.MinIterations = 0
	}
	if s.Runs == 0 {
		s.Runs = sessionstate.DefaultMax
	}
	if s.Judge == nil && u.Kind == sessionstate.Judge {
		s.Judge = &Judge{marks: marks{places{"": s.at["until"]}}}
	}
}

func (s *Stage) runFixed() {
	s.Until, s.at["until"] = fmt.Sprint("fixed ", s.Runs), s.at.first("runs")
}

// isTerminatedByLoop tells whether a stage ends by the termination of its stage folder.
func (s *Stage) isTerminatedByLoop() bool {
	t := s.at["termination"]
	return t.src != nil && t == s.at["until"] && t.src != s.at[""].src
}

// readPrompts reads and checks the prompts of a stage, and has each ask for a result.
func (r *reader) readPrompts(s *Stage) {
	in := inPrompts
	if s.ResultIsFile {
		in = inFolders
	}
	s.Prompt = r.readPrompt(s.at["prompt"], s.Prompt, in)
	s.completePrompt()
	r.readJudge(s.Judge, inJudges, judgePrompt, judgeResult)
	if s.Parallel != nil {
		r.readJudge(s.Parallel.Judge, inChoices, choicePrompt, choiceResult)
	}
}

func (r *reader) readJudge(j *Judge, in use, otherwise, result string) {
	if j == nil {
		return
	}
	if j.Prompt = r.readPrompt(j.at.first("prompt"), j.Prompt, in); j.Prompt == "" {
		j.Prompt = otherwise
	}
	j.Prompt = askFor(result, j.Prompt)
}

// readPrompt is the template that a prompt is, or is the path of.
func (r *reader) readPrompt(at place, prompt string, in use) string {
	if isFile(prompt, ".md", ".txt") {
		file := strings.TrimSpace(prompt)
		content, ok := r.readFileAt(at, file)
		if !ok {
			return ""
		}
		src, ok := r.checkText(at.src.beside(file), content)
		if !ok {
			return ""
		}
		at, prompt = place{src, 1, 1}, src.text
	}
	r.checkTemplate(at, prompt, in)
	return prompt
}
