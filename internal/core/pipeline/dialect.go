package pipeline

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/name"
)

// The dialect of pipeline files with nodes, termination and providers is read into the
// same Pipeline: its words are further keys of stages. A file that has one of them runs
// its nodes in the order in which they are written.

// aliases are other names of agents.
var aliases = map[string]string{"claude-code": "claude", "anthropic": "claude", "openai": "codex"}

// agentName reads the name of an agent.
func (r *reader) agentName(n *node, what string) string {
	called := r.word(n, what)
	if agent, ok := aliases[called]; ok {
		return agent
	}
	return called
}

// efforts are what may stand behind a model's name and a colon. Other colons belong to
// the name.
var efforts = []string{"minimal", "low", "medium", "standard", "high", "xhigh", "max"}

// SplitModel takes the effort from a model as it is written: gpt-5:high.
func SplitModel(written string) (model, effort string) {
	if i := strings.LastIndexByte(written, ':'); i > 0 && slices.Contains(efforts, written[i+1:]) {
		return written[:i], written[i+1:]
	}
	return written, ""
}

func readStage(r *reader, s *Stage, n *node) {
	r.dialect = true
	s.Loop = r.id(n, "stage")
}

func readOutputPath(r *reader, s *Stage, n *node) {
	s.OutputPath = path.Clean(r.word(n, "output_path"))
	if first, _, _ := strings.Cut(s.OutputPath, "/"); first == ".." || first == ".git" || first == ".claude" || s.OutputPath == "." || path.IsAbs(s.OutputPath) {
		r.say(n.place, "output_path must be a path within the project, and not in .git or .claude")
	}
	r.template(n.place, s.OutputPath, inPrompts, nil)
}

// terminations are the ways to end a node, with what each takes.
var terminations = map[string][]string{
	"queue":    {"type", "max"},
	"judgment": {"type", "consensus", "min_iterations", "max"},
	"fixed":    {"type", "iterations", "max"},
}

// readTermination reads until, runs and min_iterations in the dialect's words.
func readTermination(r *reader, s *Stage, n *node) {
	r.dialect = true
	if n.kind != mapping || n.get("type") == nil {
		r.say(n.place, "termination must be a mapping with a type: queue, judgment or fixed")
		return
	}
	kind := r.word(n.get("type"), "type")
	keys, known := terminations[kind]
	if !known {
		r.say(n.get("type").place, "type must be queue, judgment or fixed, not %s", n.get("type").shown())
		return
	}
	if !r.mapping(n, "a termination of the type "+kind, keys) {
		return
	}
	until := kind
	count := func(key, format string) {
		if v := n.get(key); v != nil {
			until = fmt.Sprintf(format, r.count(v, key))
		}
	}
	switch kind {
	case "judgment":
		until = "plateau"
		count("consensus", "plateau %d")
	case "fixed":
		count("iterations", "fixed %d")
	}
	r.set(s, "until", &node{place: n.place, kind: textKind, text: until})
	s.at["min_iterations"] = n.place // those of a stage folder go with its termination
	if least := n.get("min_iterations"); least != nil {
		r.set(s, "min_iterations", least)
	}
	if most := n.get("max"); most != nil && !s.says("runs") {
		r.set(s, "runs", most)
	}
}

// cutShort has a stage run as often as it says where that is less than what the judgment
// of its stage folder needs, which could never be met.
func (s *Stage) cutShort() {
	word, n := strategy(s.Until)
	consensus, _ := strconv.Atoi(n)
	if word == "plateau" && s.Runs > 0 && s.Runs < max(consensus, s.MinIterations) {
		s.Until, s.MinIterations = fmt.Sprint("fixed ", s.Runs), 0
		s.at["until"] = s.at["runs"]
	}
}

// folder finds the file of a stage folder: in the folders of stages, beside the file
// that names it, or in the library.
func (r *reader) folder(s *Stage, out Outside) (file string, text []byte, ok bool) {
	at := s.at["stage"]
	var looked []string
	for _, dir := range out.Stages {
		looked = append(looked, path.Join(dir, s.Loop))
	}
	looked = append(looked, at.src.beside("stages/"+s.Loop), at.src.beside(s.Loop))
	if !name.Valid(s.Loop) || out.Read == nil {
		looked = nil // it was complained about, or nothing is read here
	}
	for _, dir := range looked {
		file = path.Join(dir, folderFile)
		text, err := out.Read(file)
		switch {
		case err == nil:
			return file, text, true
		case out.Missing != nil && !out.Missing(err):
			r.say(at, "the stage %q cannot be read: %v", s.Loop, err)
			return file, nil, false
		}
	}
	if text, ok = out.builtInLoop(s.Loop); ok {
		return "built-in/" + s.Loop + ".yaml", text, true
	}
	if s.Loop != "" {
		r.say(at, "there is no stage folder %q%s; it was looked for in %s, and in the library", s.Loop, meant(s.Loop, BuiltInLoops()), strings.Join(looked, ", "))
	}
	return "", nil, false
}
