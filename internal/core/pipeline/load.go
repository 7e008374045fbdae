package pipeline

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// reader reads a file and all files that it refers to.
type reader struct {
	yamltree.Decoder
	*Pipeline
	out       Outside
	flags     []Setting
	isDialect bool // a file has a key that only the dialect has

	block   *yamltree.Node          // the stage whose parallel block is decoded
	ids     []string                // what flags call the stages
	folders map[*yamltree.Node]bool // prompts of stage folders
	names   map[string]named
	edges   map[[2]int]yamltree.Place // where a stage names another that it waits for
}

func newReader(p *Pipeline, out Outside, flags []Setting) *reader {
	r := &reader{Pipeline: p, out: out, flags: flags, folders: map[*yamltree.Node]bool{}, names: map[string]named{}, edges: map[[2]int]yamltree.Place{}}
	r.Formats, r.Shapes, r.Rewrite = formats, shapes, r.complete
	return r
}

// Load reads a pipeline file and everything it refers to, and fills in what its stages omit. Flags
// override the file. The pipeline is nil if there are problems.
func Load(file string, content []byte, out Outside, flags ...Setting) (*Pipeline, []yamltree.Problem) {
	r := newReader(&Pipeline{File: file}, out, flags)
	return r.load(r.Parse(file, content))
}

// LoadLoop builds a loop, a pipeline of one stage, from flags.
func LoadLoop(id string, flags []Setting, out Outside) (*Pipeline, []yamltree.Problem) {
	name := Setting{Value: id, Flag: id}.node()
	stage := yamltree.NewMapping("id", name)
	var ofSession []Setting
	for _, f := range flags {
		if group, _, _ := strings.Cut(f.Key, "."); slices.Contains([]string{"input", "commands", "max_cost", "max_time"}, group) {
			ofSession = append(ofSession, f)
		} else {
			setFlag(stage, f)
		}
	}
	stages := &yamltree.Node{Place: name.Place, Kind: yamltree.List, Items: []*yamltree.Node{stage}}
	return newReader(&Pipeline{Name: id}, out, ofSession).load(yamltree.NewMapping("stages", stages))
}

// load decodes a file; then it links the stages, applies defaults and validates the result.
func (r *reader) load(n *yamltree.Node) (*Pipeline, []yamltree.Problem) {
	if n != nil && r.Decode(n, "a pipeline", r.Pipeline) {
		r.readCommands()
		r.checkFlags()
		r.linkStages()
		r.finishStages(r.Stages)
	}
	if problems := r.Sorted(); len(problems) > 0 {
		return nil, problems
	}
	return r.Pipeline, nil
}

// readCommands reads the commands, whose keys are names of the file's own.
func (r *reader) readCommands() {
	if n := r.Node.Get("commands"); n != nil {
		r.Check(n.Kind != yamltree.Mapping, n.Place, "commands must be a mapping, not %s", n.Kind)
		for _, e := range n.Entries {
			r.Check(!text.ValidName(e.Key), e.At, "%q is not the name of a command: %s", e.Key, text.NameRule)
			line, _ := r.Read(e.Value, "a command", "text")
			r.Commands = append(r.Commands, Command{e.Key, line.(string)})
		}
	}
}

// Setting is what a flag sets on a stage or its session: a key as in a file (also
// guardrails.max_cost), and the flag to name if it is invalid. For a pipeline, commands.NAME is a
// command, and stages.ID.KEY applies to one stage.
type Setting struct{ Key, Value, Flag string }

// node returns the value as if a file held it.
func (f Setting) node() *yamltree.Node {
	return yamltree.NewText(yamltree.Place{Source: &yamltree.Source{File: f.Flag}}, f.Value)
}

// stageFlags are the stage keys that flags may set, by the name used in the flag.
var stageFlags = map[string]string{
	"max": "runs", "runs": "runs", "min_iterations": "min_iterations", "until": "until", "agent": "agent", "model": "model", "delay": "delay", "commit": "commit",
	"max_cost": "guardrails.max_cost", "max_runtime_seconds": "guardrails.max_runtime_seconds", "no_progress": "guardrails.no_progress",
}

// StageFlags returns the names that a flag may set on a stage.
func StageFlags() []string { return slices.Sorted(maps.Keys(stageFlags)) }

// stage splits the key of a flag about one stage into the stage's id, which may contain dots, and
// the name of what it sets.
func (f Setting) stage() (id, name string, isOne bool) {
	id, isOne = strings.CutPrefix(f.Key, "stages.")
	dot := max(strings.LastIndexByte(id, '.'), 0)
	return id[:dot], strings.TrimPrefix(id[dot:], "."), isOne
}

// setFlag overrides a mapping's value by a flag's. A new agent drops the model, which belongs to
// the old one.
func setFlag(n *yamltree.Node, f Setting) {
	if f.Key == "agent" {
		n.Remove("model")
		f.Value = agentName(f.Value)
	}
	n.Put(f.Key, f.node())
}

// setFlags puts flags into the pipeline, which is decoded first, or into a stage: those about it, and
// those about what it inherits.
func (r *reader) setFlags(n *yamltree.Node, stage string, inherited []string) {
	isWhole := r.Node == nil
	for _, f := range r.flags {
		id, name, isOne := f.stage()
		isSame := agentOf(n) == "" || agentOf(n) == agentOf(r.Node)
		switch {
		case isOne && id == stage && !isWhole && stageFlags[name] != "":
			setFlag(n, Setting{stageFlags[name], f.Value, f.Flag})
		case isOne || f.Key == "input":
		case isWhole, slices.Contains(inherited, f.Key) && (f.Key != "model" || isSame):
			setFlag(n, f)
		}
	}
}

// checkFlags checks that flags about one stage name one, and what it has. It keeps the names of
// initial files.
func (r *reader) checkFlags() {
	for _, f := range r.flags {
		id, name, isOne := f.stage()
		switch at := f.node().Place; {
		case f.Key == "input":
			r.Initial = append(r.Initial, f.Value)
		case isOne && stageFlags[name] == "":
			r.Report(at, "a flag cannot set %q of a stage%s; it can set %s", name, text.DidYouMean(name, StageFlags()), strings.Join(StageFlags(), ", "))
		case isOne && !slices.Contains(r.ids, id):
			r.Report(at, "there is no stage %q%s", id, text.DidYouMean(id, r.ids))
		}
	}
}
