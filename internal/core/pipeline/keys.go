package pipeline

import (
	"path"
	"slices"
	"strings"
	"time"

	"warp/internal/core/name"
	"warp/internal/core/text"
)

// key is what can be said of a stage. A loop's file says the same: a stage takes
// from it what it does not say itself.
type key struct {
	name string
	own  bool // a stage's own, not a loop's
	read func(*reader, *Stage, *node)
	take func(to, from *Stage)
}

// keys are made when they are needed: most commands read no pipeline.
func keys() []key {
	return []key{
		{"id", true, func(r *reader, s *Stage, n *node) { s.ID = r.id(n, "id") }, nil},
		{"name", true, func(r *reader, s *Stage, n *node) { s.ID = r.id(n, "name") }, nil},
		{"description", true, func(r *reader, s *Stage, n *node) { s.Description = r.prose(n, "description") }, nil},
		{"stage", true, readStage, nil},
		{"loop", true, func(r *reader, s *Stage, n *node) { s.Loop = r.word(n, "loop") }, nil},
		{"prompt", false, readPrompt, func(to, from *Stage) {
			to.Prompt, to.PromptFile, to.ResultIsFile = from.Prompt, from.PromptFile, from.ResultIsFile
		}},
		{"context", false, func(r *reader, s *Stage, n *node) { s.Context = strings.TrimSpace(r.prose(n, "context")) }, func(to, from *Stage) { to.Context = from.Context }},
		{"termination", false, readTermination, nil},
		{"output_path", false, readOutputPath, func(to, from *Stage) { to.OutputPath = from.OutputPath }},
		{"provider", false, func(r *reader, s *Stage, n *node) { r.dialect = true; r.set(s, "agent", n) }, nil},
		{"until", false, func(r *reader, s *Stage, n *node) { s.Until = text.OneLine(r.word(n, "until")) },
			func(to, from *Stage) { to.Until = from.Until }},
		{"runs", false, func(r *reader, s *Stage, n *node) { s.Runs = r.count(n, "runs") }, func(to, from *Stage) { to.Runs = from.Runs }},
		{"min_iterations", false, func(r *reader, s *Stage, n *node) { s.MinIterations = r.count(n, "min_iterations") },
			func(to, from *Stage) { to.MinIterations = from.MinIterations }},
		{"agent", false, func(r *reader, s *Stage, n *node) { s.Agent = r.agentName(n, "agent") }, func(to, from *Stage) { to.Agent = from.Agent }},
		{"model", false, func(r *reader, s *Stage, n *node) { s.Model = r.word(n, "model") }, func(to, from *Stage) { to.Model = from.Model }},
		{"judge", false, func(r *reader, s *Stage, n *node) { s.Judge = r.judge(n, "judge") }, func(to, from *Stage) { to.Judge = from.Judge }},
		{"inputs", true, readInputs, nil},
		{"needs", true, readNeeds, nil},
		{"delay", false, func(r *reader, s *Stage, n *node) { s.Delay = r.duration(n, "delay") }, func(to, from *Stage) { to.Delay = from.Delay }},
		{"guardrails", false, readGuardrails, nil},
		{"guardrails.max_runtime_seconds", false, func(r *reader, s *Stage, n *node) {
			s.MaxTime = time.Duration(r.count(n, "max_runtime_seconds")) * time.Second
		}, func(to, from *Stage) { to.MaxTime = from.MaxTime }},
		{"guardrails.max_cost", false, func(r *reader, s *Stage, n *node) { s.MaxCost = r.dollars(n, "max_cost") }, func(to, from *Stage) { to.MaxCost = from.MaxCost }},
		{"guardrails.no_progress", false, func(r *reader, s *Stage, n *node) { s.NoProgress = r.count(n, "no_progress") },
			func(to, from *Stage) { to.NoProgress = from.NoProgress }},
		{"commit", false, func(r *reader, s *Stage, n *node) { s.Commit = r.truth(n, "commit") }, func(to, from *Stage) { to.Commit = from.Commit }},
		{"may_be_empty", false, func(r *reader, s *Stage, n *node) { s.MayBeEmpty = r.truth(n, "may_be_empty") },
			func(to, from *Stage) { to.MayBeEmpty = from.MayBeEmpty }},
		{"verify", false, readVerify, func(to, from *Stage) { to.Verify = from.Verify }},
		{"parallel", true, func(r *reader, s *Stage, n *node) { s.Parallel = r.parallel(n) }, nil},
	}
}

// names are the keys below a prefix, without it.
func names(prefix string, loops bool) []string {
	var all []string
	for _, k := range keys() {
		rest, ok := strings.CutPrefix(k.name, prefix)
		if ok && !strings.Contains(rest, ".") && !(loops && k.own) {
			all = append(all, rest)
		}
	}
	return all
}

// set reads what is said of a stage under a key.
func (r *reader) set(s *Stage, name string, n *node) bool {
	all := keys()
	i := slices.IndexFunc(all, func(k key) bool { return k.name == name })
	if i < 0 {
		return false
	}
	if s.at == nil {
		s.at = map[string]place{}
	}
	s.at[name] = n.place
	all[i].read(r, s, n)
	return true
}

// inherit takes what a stage does not say itself. A model goes with its agent:
// that of another is not taken.
func (s *Stage) inherit(from *Stage) {
	for _, k := range keys() {
		where, said := from.at[k.name]
		if _, own := s.at[k.name]; own || !said || k.take == nil {
			continue
		}
		if k.name == "model" && s.Agent != "" && s.Agent != from.Agent {
			continue
		}
		k.take(s, from)
		s.at[k.name] = where
	}
}

func (r *reader) id(n *node, what string) string {
	id := r.word(n, what)
	if id != "" && !name.Valid(id) {
		r.say(n.place, "%s %q is no name: %s", what, id, name.Rule)
	}
	return id
}

func readPrompt(r *reader, s *Stage, n *node) {
	s.Prompt = r.prose(n, "prompt")
	if isFile(s.Prompt, ".md", ".txt") {
		s.Prompt, s.PromptFile = "", strings.TrimSpace(s.Prompt)
	}
}

// isFile tells a path from a text: it is one word with one of the endings.
func isFile(s string, endings ...string) bool {
	s = strings.TrimSpace(s)
	return slices.Contains(endings, path.Ext(s)) && !strings.ContainsAny(s, " \t\n")
}

func readGuardrails(r *reader, s *Stage, n *node) {
	if r.mapping(n, "guardrails", names("guardrails.", false)) {
		for _, e := range n.entries {
			r.set(s, "guardrails."+e.key, e.value)
		}
	}
}

func readVerify(r *reader, s *Stage, n *node) {
	for _, i := range r.list(n) {
		s.Verify = append(s.Verify, r.word(i, "verify"))
	}
}
