package pipeline

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// The dialect of pipeline files with nodes, termination and providers is read into the
// same Pipeline: the tables here say what its words mean. A file that has one of
// dialectKeys runs its nodes in the order in which they are written.

// synonyms are other words for keys, by the mapping that they are in.
var synonyms = map[string]map[string]string{
	"a pipeline":                  {"nodes": "stages"},
	"a stage":                     {"name": "id", "provider": "agent"},
	"a stage of a parallel block": {"name": "id", "provider": "agent"},
	"a loop":                      {"provider": "agent"},
	"parallel":                    {"providers": "agents"},
	"an agent":                    {"name": "agent"},
}

var dialectKeys = []string{"stage", "termination", "provider", "providers", "from_initial", "from_parallel"}

// agentAliases are other names of agents.
var agentAliases = map[string]string{"claude-code": "claude", "anthropic": "claude", "openai": "codex"}

// terminations are the ways in which a stage ends: the strategy of each, the key with
// the strategy's number, and its other keys.
var terminations = map[string]struct {
	strategy, number string
	others           []string
}{
	"queue":    {"queue", "", []string{"max"}},
	"judgment": {"plateau", "consensus", []string{"min_iterations", "max"}},
	"fixed":    {"fixed", "iterations", []string{"max"}},
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

func (r *reader) agentName(n *node, what string) string {
	called := r.line(n, what)
	return cmp.Or(agentAliases[called], called)
}

// readTermination reads until, runs and min_iterations in the dialect's words.
func (s *Stage) readTermination(r *reader, n *node, what string) {
	kind := n.get("type")
	if kind == nil {
		r.say(n.place, "%s must be a mapping with a type: queue, judgment or fixed", what)
		return
	}
	t, ok := terminations[kind.text]
	if !ok {
		r.say(kind.place, "type must be queue, judgment or fixed, not %s", kind.quoted())
		return
	}
	var number, least, most int
	at := places{}
	r.fill(n, "a termination of the type "+kind.text, slices.DeleteFunc([]field{
		into("type", new(string), (*reader).line),
		into(t.number, &number, (*reader).count),
		into("min_iterations", &least, (*reader).count),
		into("max", &most, (*reader).count),
	}, func(f field) bool {
		return f.key == "" || f.key != "type" && f.key != t.number && !slices.Contains(t.others, f.key)
	}), at)
	s.Until, s.at["until"] = t.strategy, n.place
	if number > 0 {
		s.Until = fmt.Sprint(t.strategy, " ", number)
	}
	// Those of a stage folder go with its termination.
	s.MinIterations, s.at["min_iterations"] = least, at.first("min_iterations")
	if at.has("max") && !s.at.has("runs") {
		s.Runs, s.at["runs"] = most, at["max"]
	}
}

// shortenJudgment makes a stage run as often as it says where that is less than what the
// judgment of its stage folder needs, which could never be met.
func (s *Stage) shortenJudgment() {
	u := s.strategy()
	if u.Kind == sessionstate.Plateau && s.Runs > 0 && s.Runs < max(u.N, s.MinIterations) {
		s.Until, s.MinIterations = fmt.Sprint("fixed ", s.Runs), 0
		s.at["until"] = s.at["runs"]
	}
}

// folderFile is what a stage folder has beside its prompt.md.
const folderFile = "stage.yaml"

// findFolder finds the file of a stage folder: in the folders of stages, beside the file
// that names it, or in the library.
func (r *reader) findFolder(s *Stage) (file string, content []byte, ok bool) {
	at := s.at["stage"]
	var looked []string
	if text.ValidName(s.Loop) && r.out.Read != nil {
		for _, dir := range r.out.Stages {
			looked = append(looked, path.Join(dir, s.Loop))
		}
		looked = append(looked, at.src.beside("stages/"+s.Loop), at.src.beside(s.Loop))
	}
	for _, dir := range looked {
		file = path.Join(dir, folderFile)
		content, err := r.out.Read(file)
		switch {
		case err == nil:
			return file, content, true
		case r.out.Missing != nil && !r.out.Missing(err):
			r.say(at, "the stage %q cannot be read: %v", s.Loop, err)
			return file, nil, false
		}
	}
	if content, ok = r.out.builtInLoop(s.Loop); !ok && s.Loop != "" {
		r.say(at, "there is no stage folder %q%s; it was looked for in %s, and in the library", s.Loop, text.DidYouMean(s.Loop, BuiltInLoops()), strings.Join(looked, ", "))
	}
	return builtInFileName(s.Loop), content, ok
}
