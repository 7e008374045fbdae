package pipeline

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// folderFile is what a stage folder has beside its prompt.md.
const folderFile = "stage.yaml"

// checkSource checks that a stage has one thing to do, and an id.
func (r *reader) checkSource(s *node) {
	loop, folder, prompt := s.get("loop"), s.get("stage"), s.get("prompt")
	if loop != nil && folder != nil {
		r.say(folder.place, "there are both a loop and a stage folder; give one of them")
	} else if loop == nil {
		loop = folder
	}
	switch {
	case s.isChain() && prompt != nil:
		r.say(prompt.place, "there is a prompt, and the parallel block has stages; give one of them")
	case s.isChain() && loop != nil:
		r.say(loop.place, "there is a loop, and the parallel block has stages; give one of them")
	case s.isChain():
	case loop == nil && prompt == nil:
		r.say(s.place, "there is neither a loop nor a prompt")
	case loop != nil && prompt != nil:
		r.say(prompt.place, "there are both a loop and a prompt; give one of them")
	}
	switch {
	case s.has("id"):
	case loop != nil && text.ValidName(loop.text) && !isLoopFile(loop.text):
		s.set("id", "id", loop)
	default:
		r.say(s.place, "the stage has no id")
	}
}

// resolveStage adds what a stage does not say: from its loop, then from the block that
// it is in, or from the pipeline.
func (r *reader) resolveStage(root *node, s stageNode) {
	s.boundByStrategy()
	if !s.has("prompt") {
		r.inheritLoop(s)
	}
	if folder := s.get("stage"); folder != nil {
		s.set("loop", "stage", folder)
	}
	switch {
	case s.block != nil:
		s.inherit(s.block, "context")
	case s.isChain():
		s.inherit(root, "context")
	default:
		s.inherit(root, "agent", "model", "context")
	}
}

// boundByStrategy lets a fixed number of iterations be its own bound, so that a bound of
// the loop does not cut it short.
func (n *node) boundByStrategy() {
	u, err := sessionstate.ParseUntil(n.word("until"))
	if err == nil && u.Kind == sessionstate.Fixed && u.N > 0 && !n.has("runs") {
		n.set("runs", "runs", &node{place: n.get("until").place, kind: number, text: fmt.Sprint(u.N)})
	}
}

// inherit takes the values of keys, or of all, that a stage does not have. A model goes with its
// agent, and the least iterations with their termination.
func (n *node) inherit(from *node, keys ...string) {
	agent := agentName(n.word("agent"))
	another := agent != "" && agent != agentName(from.word("agent"))
	terminated := n.has("termination")
	for _, e := range from.entries {
		switch {
		case n.has(e.key) || keys != nil && !slices.Contains(keys, e.key):
		case e.key == "model" && another, e.key == "min_iterations" && terminated:
		default:
			n.set(e.key, e.written, e.value)
		}
	}
}

// inheritLoop reads the loop of a stage, which takes from it what it does not say.
func (r *reader) inheritLoop(s stageNode) {
	file, content, ok := r.findLoop(s.node)
	if !ok {
		return
	}
	n := r.parseYAML(file, content)
	if n == nil {
		return
	}
	loop := r.canonical(n, "a loop", reflect.TypeFor[Stage]())
	if loop == nil {
		return
	}
	// For its problems: what is wrong and that the stage says itself is not taken.
	r.decode(loop, reflect.ValueOf(&Stage{}).Elem())
	if isFolder := path.Base(file) == folderFile; isFolder && !loop.has("prompt") {
		loop.set("prompt", "prompt", &node{place: n.place, kind: textKind, text: "prompt.md"})
	} else if !loop.has("prompt") {
		r.say(n.place, "the loop has no prompt")
	}
	loop.boundByStrategy()
	if s.block != nil { // what is chosen of the branches is committed, not what each makes
		loop.remove("commit")
	}
	// Its name and description are not those of the stage.
	loop.remove("id")
	loop.remove("description")
	s.inherit(loop)
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
func (r *reader) findLoop(s *node) (file string, content []byte, ok bool) {
	loop, folder := s.get("loop"), s.get("stage")
	switch name := s.word("loop"); {
	case loop == nil && folder == nil:
		return "", nil, false
	case loop == nil:
		return r.findFolder(folder)
	case isLoopFile(name):
		content, ok = r.readFileAt(loop.place, name)
		return loop.src.beside(name), content, ok
	default:
		return r.findBuiltIn(loop.place, name, "built-in loop", "write the path of a file, such as ./"+name+".yaml")
	}
}

// findFolder finds the file of a stage folder: in the folders of stages, beside the file
// that names it, or in the library.
func (r *reader) findFolder(n *node) (file string, content []byte, ok bool) {
	name := r.value(n, "stage", "name").(string)
	if !text.ValidName(name) {
		return "", nil, false
	}
	var looked []string
	for _, dir := range r.out.Stages {
		looked = append(looked, path.Join(dir, name))
	}
	looked = append(looked, n.src.beside("stages/"+name), n.src.beside(name))
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
			r.say(n.place, "the stage %q cannot be read: %v", name, err)
			return file, nil, false
		}
	}
	return r.findBuiltIn(n.place, name, "stage folder", "it was looked for in "+strings.Join(looked, ", ")+", and in the library")
}

// findBuiltIn is the file of a loop of the library.
func (r *reader) findBuiltIn(at place, name, what, advice string) (file string, content []byte, ok bool) {
	find := BuiltInLoop
	if r.out.Loop != nil {
		find = r.out.Loop
	}
	if content, ok = find(name); !ok {
		r.say(at, "there is no %s %q%s; %s", what, name, text.DidYouMean(name, BuiltInLoops()), advice)
	}
	return builtInFileName(name), content, ok
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
