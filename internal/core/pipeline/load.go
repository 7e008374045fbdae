package pipeline

import (
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// Load reads a pipeline file and everything it refers to, and fills in what its stages omit. Flags
// override the file. The pipeline is nil if there are problems.
func Load(file string, content []byte, out Outside, flags ...Setting) (*Pipeline, []Problem) {
	r := newReader(out)
	p := &Pipeline{File: file}
	if n := r.Parse(file, content); n != nil {
		r.load(p, n, flags)
	}
	return r.answer(p)
}

// LoadLoop builds a loop, a pipeline of one stage, from flags.
func LoadLoop(id string, flags []Setting, out Outside) (*Pipeline, []Problem) {
	called := Setting{"id", id, id}
	stage := &yamltree.Node{Place: called.node().Place, Kind: yamltree.Mapping}
	setFlag(stage, "id", called)
	var ofSession []Setting
	fields := shapes["a stage"].Fields(reflect.TypeFor[Stage]())
	for _, f := range flags {
		group, _, _ := strings.Cut(f.Key, ".")
		if _, ofStage := fields[group]; ofStage {
			setFlag(stage, f.Key, f)
		} else {
			ofSession = append(ofSession, f)
		}
	}
	whole := &yamltree.Node{Place: stage.Place, Kind: yamltree.Mapping}
	whole.Put("stages", &yamltree.Node{Place: stage.Place, Kind: yamltree.List, Items: []*yamltree.Node{stage}})
	r := newReader(out)
	p := &Pipeline{Name: id}
	r.load(p, whole, ofSession)
	return r.answer(p)
}

func (r *reader) answer(p *Pipeline) (*Pipeline, []Problem) {
	if problems := r.Sorted(); len(problems) > 0 {
		return nil, problems
	}
	return p, nil
}

// load decodes a file, with what flags and loops add to it; then it links the stages, applies
// defaults and validates the result.
func (r *reader) load(p *Pipeline, n *yamltree.Node, flags []Setting) {
	p.overrideSession(n, flags)
	if !r.Decode(n, "a pipeline", p) {
		return
	}
	r.readCommands(p)
	for s := range p.eachStage() {
		s.nameByLoop()
		r.checkRules(sourceRules(s))
	}
	for _, f := range flags {
		r.overrideStages(p, f)
	}
	for s, block := range p.eachStage() {
		r.resolveStage(p, s, block)
	}
	l := linker{&r.Problems, p, map[string]named{}, map[[2]int]yamltree.Place{}}
	l.linkStages(r.isDialect)
	for s := range p.eachStage() {
		s.applyDefaults()
		r.readPrompts(p, s)
	}
	r.validate(p)
}

// resolvedStage is the shape of a stage that has what it omits: all keys, in our own terms.
const resolvedStage = "the stage"

// resolveStage adds what a stage omits: from its loop, then from its block or the pipeline.
func (r *reader) resolveStage(p *Pipeline, s, block *Stage) {
	boundByStrategy(s.node)
	if loop := r.readLoop(s, block != nil); loop != nil {
		inherit(s.node, loop)
	}
	switch {
	case block != nil:
		inherit(s.node, block.node, "context")
	case s.isChain():
		inherit(s.node, p.node, "context")
	default:
		inherit(s.node, p.node, "agent", "model", "context")
	}
	var whole Stage
	r.Decode(s.node, resolvedStage, &whole)
	whole.Parallel = s.Parallel // its stages are resolved, too
	if whole.node.Has("stage") {
		whole.Loop, whole.Folder = whole.Folder, ""
	}
	*s = whole
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
		case e.Key == "guardrails":
			for _, inner := range e.Value.Entries {
				if !own.Has(inner.Key) {
					n.Put(e.Key+"."+inner.Key, inner.Value)
				}
			}
		}
	}
}

// agentOf returns the agent named in a mapping.
func agentOf(n *yamltree.Node) string { return agentName(n.Get("agent").OneLine()) }

// boundByStrategy makes a fixed number of iterations its own limit, so that the loop's limit does
// not cut it short.
func boundByStrategy(n *yamltree.Node) {
	until := n.Get("until")
	if u, _ := sessionstate.ParseUntil(until.OneLine()); u.Kind == sessionstate.Fixed && u.N > 0 && !n.Has("runs") {
		n.Put("runs", yamltree.NewText(until.Place, strconv.Itoa(u.N)))
	}
}

// nameByLoop names a stage without an id after its loop.
func (s *Stage) nameByLoop() {
	called := s.node.Get("loop")
	if called == nil {
		called = s.node.Get("stage")
	}
	if name := called.OneLine(); !s.node.Has("id") && text.ValidName(name) && !isLoopFile(name) {
		s.node.Put("id", called)
		s.ID = name
	}
}

// isLoopFile reports whether s is the path of a loop rather than the name of a built-in.
func isLoopFile(s string) bool {
	return strings.Contains(s, "/") || isFile(s, ".yaml", ".yml")
}

// isFile reports whether s is a path rather than a text: one word with one of the extensions.
func isFile(s string, endings ...string) bool {
	s = strings.TrimSpace(s)
	return slices.Contains(endings, path.Ext(s)) && !strings.ContainsAny(s, " \t\n")
}
