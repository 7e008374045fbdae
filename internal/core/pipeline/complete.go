package pipeline

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// complete completes a mapping before it is decoded, so that there is only one way from words to
// values: it puts the dialect in our own terms, and adds what flags say and what a stage inherits.
func (r *reader) complete(n, written *yamltree.Node, shape string) {
	r.rewriteDialect(n, written)
	switch shape {
	case "a pipeline":
		r.setFlags(n, "", nil)
	case "a loop":
		isFolder := path.Base(n.Source.File) == FolderFile
		if isFolder && !n.Has("prompt") {
			n.Put("prompt", yamltree.NewText(n.Place, "prompt.md"))
		}
		boundByStrategy(n)
		r.readPromptFile(n)
		r.folders[n.Get("prompt")] = isFolder
	case "judge":
		r.readPromptFile(n)
	case "a stage":
		r.completeStage(n, nil, written.Has("stage"))
		r.block = n
	case branchStage:
		r.completeStage(n, r.block, written.Has("stage"))
	}
	agent := agentOf(n)
	isKnown := agent == "" || r.out.Agents == nil || slices.Contains(r.out.Agents, agent)
	r.Check(!isKnown, n.Where("agent"), "there is no agent %q%s", agent, text.DidYouMean(agent, r.out.Agents))
}

// completeStage gives a stage its id, what flags set, and what it omits: from its loop, which may be
// a stage folder, then from its block or the pipeline. It must have exactly one thing to do.
func (r *reader) completeStage(n, block *yamltree.Node, isFolder bool) {
	loop, hasPrompt, isChain := n.Get("loop"), n.Has("prompt"), n.Get("parallel").Get("stages") != nil
	if name := loop.OneLine(); !n.Has("id") && text.ValidName(name) && !isLoopFile(name) {
		n.Put("id", loop)
	}
	r.Check(loop != nil && hasPrompt, n.Where("prompt"), "it has both a loop and a prompt; keep one of them")
	r.Check(isChain && (loop != nil || hasPrompt), n.Where("prompt", "loop"), "there is a prompt or a loop, and the parallel block has stages; give one of them")
	r.Check(!isChain && loop == nil && !hasPrompt, n.Place, "it needs a loop or a prompt")
	called, from, inherited := n.Get("id").OneLine(), r.Node, []string{"context", "agent", "model"}
	if block != nil {
		called, from = block.Get("id").OneLine()+"."+called, block
	}
	if block != nil || isChain { // the branches name their agents, different ones on purpose
		inherited = inherited[:1]
	}
	r.ids = append(r.ids, called)
	r.setFlags(n, called, inherited)
	r.readPromptFile(n)
	boundByStrategy(n)
	if loop != nil && !isChain && !hasPrompt {
		r.addLoop(n, loop, isFolder, block != nil)
	}
	inherit(n, from, inherited...)
}

// inherit copies missing keys, or some of them, from another mapping. A model belongs to its agent,
// and the minimum of iterations to its termination.
func inherit(n, from *yamltree.Node, keys ...string) {
	isTerminated := n.Has("termination")
	isOther := agentOf(n) != "" && agentOf(n) != agentOf(from)
	for _, e := range from.Entries {
		switch own := n.Get(e.Key); {
		case keys != nil && !slices.Contains(keys, e.Key):
		case e.Key == "model" && isOther, e.Key == "min_iterations" && isTerminated:
		case own == nil:
			n.Entries = append(n.Entries, e)
		case e.Key == "guardrails" && own.Kind == yamltree.Mapping:
			for _, inner := range e.Value.Entries {
				if !own.Has(inner.Key) {
					n.Put(e.Key+"."+inner.Key, inner.Value)
				}
			}
		}
	}
}

// agentOf returns the agent named in a mapping.
func agentOf(n *yamltree.Node) string { return n.Get("agent").OneLine() }

// boundByStrategy makes a fixed number of iterations its own limit, so that the loop's limit does
// not cut it short.
func boundByStrategy(n *yamltree.Node) {
	until := n.Get("until")
	if u, _ := sessionstate.ParseUntil(until.OneLine()); u.Kind == sessionstate.Fixed && u.N > 0 && !n.Has("runs") {
		n.Put("runs", yamltree.NewText(until.Place, strconv.Itoa(u.N)))
	}
}

// applyDefaults fills in omitted values: the given number of iterations, or until a plateau.
func (s *Stage) applyDefaults() {
	if p := s.Parallel; p != nil {
		if p.Judge == nil {
			p.Choose = cmp.Or(p.Choose, All)
		}
		if p.Choose = cmp.Or(p.Choose, ByJudge); p.Choose == ByJudge {
			p.Judge = cmp.Or(p.Judge, &Judge{})
		}
	}
	if len(s.block().Stages) > 0 { // they have these settings
		return
	}
	u, _ := sessionstate.ParseUntil(s.Until)
	ending := s.Node.Get("termination")
	isOfFolder := ending != nil && ending.Source != s.Node.Source && ending.Place == s.Node.Where("until")
	if isOfFolder && u.Kind == sessionstate.Plateau && s.Runs > 0 && s.Runs < max(u.N, s.MinIterations) {
		s.Until, s.MinIterations = "", 0 // the folder's minimum could never be reached
	}
	if runs := s.Node.Get("runs"); isOfFolder && u.Kind == sessionstate.Fixed && s.Runs > 0 && runs.Source == s.Node.Source {
		s.Until, u.N = "", 0 // the stage's own number counts, not the folder's
	}
	if s.Runs > 0 && (s.Until == "" || u.Kind == sessionstate.Fixed && u.N == 0) {
		s.Until = fmt.Sprint("fixed ", s.Runs)
		s.Node.Put("until", yamltree.NewText(s.Node.Where("runs"), s.Until))
	}
	s.Until, s.Runs = cmp.Or(s.Until, string(sessionstate.Plateau)), cmp.Or(s.Runs, sessionstate.DefaultMax)
	if u.Kind == sessionstate.Judge {
		s.Judge = cmp.Or(s.Judge, &Judge{})
	}
}

// dialectKeys exist only in the dialect: a file with one of them runs its stages in the written
// order.
var dialectKeys = []string{"stage", "termination", "provider", "providers", "from_initial", "from_parallel"}

var stageSynonyms = map[string]string{"name": "id", "provider": "agent", "stage": "loop"}

var agentAliases = map[string]string{"claude-code": "claude", "anthropic": "claude", "openai": "codex"}

func agentName(written string) string { return cmp.Or(agentAliases[written], written) }

// rewriteDialect rewrites a mapping in our own terms, so that nothing after it knows the dialect.
func (r *reader) rewriteDialect(n, written *yamltree.Node) {
	for _, e := range written.Entries {
		r.isDialect = r.isDialect || slices.Contains(dialectKeys, e.Key) || e.Key == "select" && e.Value.Text == "history"
	}
	if agent := n.Get("agent"); agentAliases[agent.OneLine()] != "" {
		n.Put("agent", yamltree.NewText(agent.Place, agentName(agent.OneLine())))
	}
	if t := n.Get("termination"); t != nil {
		r.rewriteTermination(n, t)
	}
}

// termination is how the dialect says until, min_iterations and runs.
type termination struct {
	Iterations    int      `yaml:"iterations" is:"count"`
	Consensus     int      `yaml:"consensus" is:"count"`
	MinIterations int      `yaml:"min_iterations" is:"count"`
	Max           int      `yaml:"max" is:"count"`
	_             struct{} `yaml:"type"`
	written
}

// terminations are the strategies by the type of a termination.
var terminations = map[string]string{"queue": "queue", "judgment": "plateau", "fixed": "fixed"}

// rewriteTermination rewrites a termination as stage keys. It keeps limits that the stage has.
func (r *reader) rewriteTermination(stage, n *yamltree.Node) {
	kind := n.Get("type").OneLine()
	until, isKnown := terminations[kind]
	if !isKnown {
		r.Report(n.Where("type"), "termination must have a type: queue, judgment or fixed")
		return
	}
	var t termination
	r.Decode(n, "a termination of the type "+kind, &t)
	if count := t.Iterations + t.Consensus; count > 0 {
		until += fmt.Sprint(" ", count)
	}
	if t.Max > 0 && !stage.Has("runs") {
		stage.Put("runs", n.Get("max"))
	}
	if t.MinIterations > 0 && !stage.Has("min_iterations") {
		stage.Put("min_iterations", n.Get("min_iterations"))
	}
	stage.Put("until", yamltree.NewText(n.Place, until))
}
