package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// Load reads a pipeline file and all that it refers to, and fills in what its
// stages leave out. What flags say comes before what the file says. The pipeline is
// nil when there is a problem.
func Load(file string, content []byte, out Outside, flags ...Setting) (*Pipeline, []Problem) {
	r := &reader{out: out}
	p := r.readFile(file, content, flags)
	if p != nil {
		r.complete(p)
	}
	return r.result(p)
}

// LoadLoop makes the pipeline of one stage that a loop is, from flags.
func LoadLoop(id string, flags []Setting, out Outside) (*Pipeline, []Problem) {
	r := &reader{out: out}
	here := place{src: &source{file: id}}
	p := &Pipeline{Name: id, at: places{}, Stages: []Stage{{ID: id, at: places{"": here}}}}
	s := &p.Stages[0]
	if !text.ValidName(id) {
		r.say(here, "%q is not a valid name: %s", id, text.NameRule)
	}
	for _, f := range flags {
		if !r.setStage(s, f.Key, f.node()) {
			r.applyFlag(p, f)
		}
	}
	switch {
	case s.Loop == "" && !s.at.has("prompt"):
		r.say(here, "there is neither a loop nor a prompt")
	case s.Loop != "" && s.at.has("prompt"):
		r.say(s.at["prompt"], "there are both a loop and a prompt; give one of them")
	}
	r.complete(p)
	return r.result(p)
}

func (r *reader) result(p *Pipeline) (*Pipeline, []Problem) {
	if len(r.problems) > 0 {
		return nil, r.sortedProblems()
	}
	return p, nil
}

// readFile reads a pipeline as its file and the flags say it; nil when the text is not
// a YAML mapping at all.
func (r *reader) readFile(file string, content []byte, flags []Setting) *Pipeline {
	n := r.parseYAML(file, content)
	p := &Pipeline{File: file, at: places{}}
	if n == nil || !r.fill(n, "a pipeline", p.fields(), p.at) {
		return nil
	}
	if !p.at.has("stages") {
		r.say(n.place, "the pipeline has no stages")
	}
	for _, f := range flags {
		r.applyFlag(p, f)
	}
	r.linkStages(p)
	return p
}

// complete is the one way from what was written to what runs: what a stage does not say
// comes from its loop, then from the pipeline, then from the defaults.
func (r *reader) complete(p *Pipeline) {
	r.commands = p.Commands
	session := Stage{Agent: p.Agent, Model: p.Model, Context: p.Context, at: p.at}
	var block *Stage
	for s := range p.allStages() {
		s.boundByStrategy()
		if s.Loop != "" && !s.at.has("prompt") {
			r.readLoop(s)
		}
		switch {
		case s.isChain():
			block = s
			s.inheritContext(&session)
		case s.inBranch:
			s.inheritContext(block)
		default:
			s.inherit(&session)
		}
		s.applyDefaults()
		r.readPrompts(s)
	}
	r.validate(p)
}

func (s *Stage) inheritContext(from *Stage) {
	if at, said := from.at["context"]; said {
		s.inherit(&Stage{Context: from.Context, at: places{"context": at}})
	}
}

// strategy is what until says; none when it is wrong.
func (s *Stage) strategy() sessionstate.Until {
	u, _ := sessionstate.ParseUntil(s.Until)
	return u
}

// boundByStrategy lets a fixed number of iterations be its own bound, so that a bound of
// the loop does not cut it short.
func (s *Stage) boundByStrategy() {
	if u := s.strategy(); u.Kind == sessionstate.Fixed && u.N > 0 && !s.at.has("runs") {
		s.Runs, s.at["runs"] = u.N, s.at["until"]
	}
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
			p.Judge = &Judge{at: places{"": p.at["choose"]}}
		}
		s.Commit = s.anyInBranch(func(b Stage) bool { return b.Commit }) || s.Commit
	}
	if s.isChain() { // its stages say all that
		return
	}
	u := s.strategy()
	switch {
	case s.Until == "" && s.Runs == 0:
		s.Until = string(sessionstate.Plateau)
	case s.Until == "" || u.Kind == sessionstate.Fixed && u.N == 0 && s.Runs > 0:
		s.Until = fmt.Sprint("fixed ", s.Runs)
		s.at["until"] = s.at.first("runs")
	}
	if s.Runs == 0 {
		s.Runs = sessionstate.DefaultMax
	}
	if s.Judge == nil && u.Kind == sessionstate.Judge {
		s.Judge = &Judge{at: places{"": s.at["until"]}}
	}
}

// readLoop reads the loop of a stage, which takes from it what it does not say.
func (r *reader) readLoop(s *Stage) {
	file, content, ok := r.findLoop(s)
	if !ok {
		return
	}
	n := r.parseYAML(file, content)
	l := Stage{at: places{}}
	fields := append(withoutKeys(l.fields(), notInLoops), into("name", &l.ID, (*reader).name), into("description", &l.Description, (*reader).trimmed))
	if n == nil || !r.fill(n, "a loop", fields, l.at) {
		return
	}
	l.ResultIsFile = path.Base(file) == folderFile
	switch {
	case l.at.has("prompt"):
	case l.ResultIsFile:
		l.Prompt, l.at["prompt"] = "prompt.md", n.place
	default:
		r.say(n.place, "the loop has no prompt")
	}
	l.boundByStrategy()
	if s.inBranch { // what is chosen of the branches is committed, not what each makes
		delete(l.at, "commit")
	}
	s.ResultIsFile = l.ResultIsFile
	s.inherit(&l)
	if l.at.has("termination") && !s.at.has("termination") {
		s.shortenJudgment()
	}
}

// isLoopFile tells the path of a loop from the name of a built-in.
func isLoopFile(s string) bool {
	return strings.Contains(s, "/") || isFile(s, ".yaml", ".yml")
}

// isFile tells a path from a text: it is one word with one of the endings.
func isFile(s string, endings ...string) bool {
	s = strings.TrimSpace(s)
	return slices.Contains(endings, path.Ext(s)) && !strings.ContainsAny(s, " \t\n")
}

// findLoop is the file of a stage's loop, or of its stage folder.
func (r *reader) findLoop(s *Stage) (file string, content []byte, ok bool) {
	if !s.at.has("loop") {
		return r.findFolder(s)
	}
	at := s.at["loop"]
	if isLoopFile(s.Loop) {
		content, ok = r.readFileAt(at, s.Loop)
		return at.src.beside(s.Loop), content, ok
	}
	if content, ok = r.out.builtInLoop(s.Loop); !ok {
		r.say(at, "there is no built-in loop %q%s; write the path of a file, such as ./%s.yaml", s.Loop, text.DidYouMean(s.Loop, BuiltInLoops()), s.Loop)
	}
	return builtInFileName(s.Loop), content, ok
}

func (out Outside) builtInLoop(name string) ([]byte, bool) {
	if out.Loop != nil {
		return out.Loop(name)
	}
	return BuiltInLoop(name)
}

// readPrompts reads and checks the prompts of a stage, and has each ask for a result.
func (r *reader) readPrompts(s *Stage) {
	in := inPrompts
	if s.ResultIsFile {
		in = inFolders
	}
	s.Prompt = r.readPrompt(s.at["prompt"], s.Prompt, in)
	s.completePrompt()
	judge := func(j *Judge, in use, otherwise, result string) {
		if j == nil {
			return
		}
		if j.Prompt = r.readPrompt(j.at.first("prompt"), j.Prompt, in); j.Prompt == "" {
			j.Prompt = otherwise
		}
		j.Prompt = askFor(result, j.Prompt)
	}
	judge(s.Judge, inJudges, judgePrompt, judgeResult)
	if s.Parallel != nil {
		judge(s.Parallel.Judge, inChoices, choicePrompt, choiceResult)
	}
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

// readFileAt reads a file that is named somewhere.
func (r *reader) readFileAt(at place, name string) ([]byte, bool) {
	switch {
	case path.IsAbs(name) && at.line > 0:
		r.say(at, "%q must be a path from the folder of this file", name)
	case r.out.Read == nil:
		r.say(at, "%q: no files are read here", name)
	default:
		content, err := r.out.Read(at.src.beside(name))
		if err == nil {
			return content, true
		}
		r.say(at, "%q cannot be read: %v", name, err)
	}
	return nil, false
}
