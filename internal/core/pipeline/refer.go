package pipeline

import (
	"path"
	"slices"
	"strings"
)

// isLoopFile tells the path of a loop from the name of a built-in.
func isLoopFile(s string) bool {
	return strings.Contains(s, "/") || isFile(s, ".yaml", ".yml")
}

// loop reads the loop of a stage, which takes from it what it does not say.
func (r *reader) loop(s *Stage, commands []Command, out Outside) {
	file, text, ok := r.source(s, out)
	if !ok {
		return
	}
	known := append(names("", true), "name", "description")
	n := r.open(file, text, "a loop", known)
	if n == nil {
		return
	}
	l := Stage{at: map[string]place{"": n.place}}
	n.entries = slices.DeleteFunc(n.entries, func(e entry) bool { return !slices.Contains(known, e.key) || e.key == "description" })
	r.entries(&l, n)
	switch {
	case n.get("prompt") != nil:
	case path.Base(file) == folderFile:
		l.PromptFile, l.at["prompt"] = "prompt.md", n.place
	default:
		r.say(n.place, "the loop has no prompt")
	}
	l.ResultIsFile = path.Base(file) == folderFile
	if l.Prompt != "" {
		r.template(l.at["prompt"], l.Prompt, inPrompts, commands)
	}
	r.judges(&l, commands)
	l.fix()
	if s.inBranch { // what is chosen of the branches is committed, not what each makes
		delete(l.at, "commit")
	}
	s.inherit(&l)
	if l.says("termination") && !s.says("termination") {
		s.cutShort()
	}
}

// folderFile is what a stage folder has beside its prompt.md.
const folderFile = "stage.yaml"

// source is the file of a stage's loop, or of its stage folder.
func (r *reader) source(s *Stage, out Outside) (file string, text []byte, ok bool) {
	if !s.says("loop") {
		return r.folder(s, out)
	}
	at := s.at["loop"]
	if isLoopFile(s.Loop) {
		text, ok = r.read(at, s.Loop, out)
		return at.src.beside(s.Loop), text, ok
	}
	if text, ok = out.builtInLoop(s.Loop); !ok {
		r.say(at, "there is no built-in loop %q%s; a file is named by its path, such as ./%s.yaml", s.Loop, meant(s.Loop, BuiltInLoops()), s.Loop)
	}
	return "built-in/" + s.Loop + ".yaml", text, ok
}

func (out Outside) builtInLoop(name string) ([]byte, bool) {
	if out.Loop != nil {
		return out.Loop(name)
	}
	return BuiltInLoop(name)
}

// files reads prompts that are files, and has every prompt ask for a result.
func (r *reader) files(s *Stage, commands []Command, out Outside) {
	if s.PromptFile != "" {
		in := inPrompts
		if s.ResultIsFile {
			in = inFolders
		}
		s.Prompt = r.promptFile(s.at["prompt"], s.PromptFile, in, commands, out)
	}
	s.ask()
	ask := func(j *Judge, in use, otherwise, result string) {
		if j == nil {
			return
		}
		if j.file != "" {
			j.Prompt = r.promptFile(j.at, j.file, in, commands, out)
		}
		if j.Prompt == "" {
			j.Prompt = otherwise
		}
		j.Prompt = asking(j.Prompt, result)
	}
	ask(s.Judge, inJudges, judgePrompt, judgeResult)
	if s.Parallel != nil {
		ask(s.Parallel.Judge, inChoices, choicePrompt, choiceResult)
	}
}

func (r *reader) promptFile(at place, name string, in use, commands []Command, out Outside) string {
	text, ok := r.read(at, name, out)
	if !ok {
		return ""
	}
	src, ok := r.clean(at.src.beside(name), text)
	if !ok {
		return ""
	}
	r.template(place{src, 1, 1}, src.text, in, commands)
	return src.text
}

// judges checks the prompts of judges that are in the file itself.
func (r *reader) judges(s *Stage, commands []Command) {
	if s.Judge != nil {
		r.template(s.Judge.at, s.Judge.Prompt, inJudges, commands)
	}
	if s.Parallel != nil && s.Parallel.Judge != nil {
		r.template(s.Parallel.Judge.at, s.Parallel.Judge.Prompt, inChoices, commands)
	}
}

// read reads a file that is named somewhere.
func (r *reader) read(at place, name string, out Outside) ([]byte, bool) {
	switch {
	case path.IsAbs(name) && at.line > 0:
		r.say(at, "%q must be a path from the folder of this file", name)
	case out.Read == nil:
		r.say(at, "%q: no files are read here", name)
	default:
		text, err := out.Read(at.src.beside(name))
		if err == nil {
			return text, true
		}
		r.say(at, "%q cannot be read: %v", name, err)
	}
	return nil, false
}
