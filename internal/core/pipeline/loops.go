package pipeline

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// folderFile is what a stage folder has beside its prompt.md.
const folderFile = "stage.yaml"

// resolveStage adds what a stage does not say: from its loop, then from the block that
// it is in, or from the pipeline.
func (r *reader) resolveStage(p *Pipeline, s, block *Stage) {
	s.boundByStrategy()
	if !s.at.has("prompt") {
		r.inheritLoop(s, block != nil)
	}
	if s.at.has("stage") {
		s.Loop, s.Folder = s.Folder, ""
	}
	switch {
	case block != nil:
		s.inherit(block, "context")
	case s.isChain():
		s.inherit(p.asStage(), "context")
	default:
		s.inherit(p.asStage(), "agent", "model", "context")
	}
}

// asStage is what a pipeline says for its stages.
func (p *Pipeline) asStage() *Stage {
	return &Stage{Agent: p.Agent, Model: p.Model, Context: p.Context, marks: p.marks}
}

// boundByStrategy lets a fixed number of iterations be its own bound, so that a bound of
// the loop does not cut it short.
func (s *Stage) boundByStrategy() {
	if u := s.strategy(); u.Kind == sessionstate.Fixed && u.N > 0 && !s.at.has("runs") {
		s.Runs, s.at["runs"] = u.N, s.at["until"]
	}
}

// inherit takes the values of keys, or of all, that a stage does not have. A model goes
// with its agent, and the least iterations with their termination.
func (s *Stage) inherit(from *Stage, keys ...string) {
	another := s.Agent != "" && s.Agent != from.Agent
	terminated := s.at.has("termination")
	fields := fieldsOf(reflect.TypeFor[Stage](), "")
	for key, place := range from.at {
		switch {
		case s.at.has(key) || keys != nil && !slices.Contains(keys, key):
			continue
		case key == "model" && another, key == "min_iterations" && terminated:
			continue
		}
		s.at[key] = place
		if f := findField(fields, key); f != nil && f.format != terminationFormat {
			reflect.ValueOf(s).Elem().Field(f.index).Set(reflect.ValueOf(from).Elem().Field(f.index))
		}
	}
}

// inheritLoop reads the loop of a stage, which takes from it what it does not say.
func (r *reader) inheritLoop(s *Stage, isBranch bool) {
	file, content, ok := r.findLoop(s)
	if !ok {
		return
	}
	var loop Stage
	n := r.parseYAML(file, content)
	if n == nil || !r.decode(n, "a loop", reflect.ValueOf(&loop).Elem()) {
		return
	}
	switch {
	case loop.at.has("prompt"):
	case path.Base(file) == folderFile:
		loop.Prompt, loop.at["prompt"] = "prompt.md", n.place
	default:
		r.report(n.place, "the loop has no prompt")
	}
	loop.boundByStrategy()
	// Its name and description are not those of the stage. What is chosen of branches is
	// committed, not what each makes.
	delete(loop.at, "id")
	delete(loop.at, "description")
	if isBranch {
		delete(loop.at, "commit")
	}
	s.inherit(&loop)
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
	at := s.at["loop"]
	switch {
	case !s.at.has("loop") && !text.ValidName(s.Folder): // reported already
		return "", nil, false
	case !s.at.has("loop"):
		return r.findFolder(s.at["stage"], s.Folder)
	case isLoopFile(s.Loop):
		content, ok = r.readFileAt(at, s.Loop)
		return at.src.beside(s.Loop), content, ok
	}
	return r.findBuiltIn(at, s.Loop, "built-in loop", "write the path of a file, such as ./"+s.Loop+".yaml")
}

// findFolder finds the file of a stage folder: in the folders of stages, beside the file
// that names it, or in the library.
func (r *reader) findFolder(at place, name string) (file string, content []byte, ok bool) {
	var looked []string
	for _, dir := range r.out.Stages {
		looked = append(looked, path.Join(dir, name))
	}
	looked = append(looked, at.src.beside("stages/"+name), at.src.beside(name))
	for _, dir := range looked {
		if r.out.Read == nil {
			break
		}
		file = path.Join(dir, folderFile)
		content, err := r.out.Read(file)
		switch {
		case err == nil:
			return file, content, true
		case r.out.Missing != nil && !r.out.Missing(err):
			r.report(at, "the stage %q cannot be read: %v", name, err)
			return file, nil, false
		}
	}
	return r.findBuiltIn(at, name, "stage folder", "it was looked for in "+strings.Join(looked, ", ")+", and in the library")
}

// findBuiltIn is the file of a loop of the library.
func (r *reader) findBuiltIn(at place, name, what, advice string) (file string, content []byte, ok bool) {
	find := BuiltInLoop
	if r.out.Loop != nil {
		find = r.out.Loop
	}
	if content, ok = find(name); !ok {
		r.report(at, "there is no %s %q%s; %s", what, name, text.DidYouMean(name, BuiltInLoops()), advice)
	}
	return builtInFileName(name), content, ok
}

// readFileAt reads a file that is named somewhere.
func (r *reader) readFileAt(at place, name string) ([]byte, bool) {
	switch {
	case path.IsAbs(name) && at.line > 0:
		r.report(at, "%q must be a path from the folder of this file", name)
	case r.out.Read == nil:
		r.report(at, "%q: no files are read here", name)
	default:
		content, err := r.out.Read(at.src.beside(name))
		if err == nil {
			return content, true
		}
		r.report(at, "%q cannot be read: %v", name, err)
	}
	return nil, false
}
