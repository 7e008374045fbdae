package pipeline

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// field is a key that a mapping may have, and how its value is read. A key with a dot
// is one of a mapping within: guardrails.max_cost.
type field struct {
	key  string
	read func(r *reader, n *node, what string)
	to   any             // the pointer that it is read into
	take func(other any) // copies the value of the same field of another
}

// into makes a field whose value one of the readers stores.
func into[T any](key string, to *T, read func(*reader, *node, string) T) field {
	return field{
		key:  key,
		read: func(r *reader, n *node, what string) { *to = read(r, n, what) },
		to:   to,
		take: func(other any) { *to = *other.(*T) },
	}
}

func (p *Pipeline) fields() []field {
	return []field{
		into("name", &p.Name, (*reader).name),
		into("description", &p.Description, (*reader).trimmed),
		into("agent", &p.Agent, (*reader).agentName),
		into("model", &p.Model, (*reader).line),
		into("context", &p.Context, (*reader).trimmed),
		into("max_cost", &p.MaxCost, (*reader).dollars),
		into("max_time", &p.MaxTime, (*reader).span),
		into("commands", &p.Commands, (*reader).commandLines),
		into("stages", &p.Stages, (*reader).stages),
	}
}

func (s *Stage) fields() []field {
	return []field{
		into("id", &s.ID, (*reader).name),
		into("description", &s.Description, (*reader).trimmed),
		into("loop", &s.Loop, (*reader).line),
		into("stage", &s.Loop, (*reader).name),
		into("prompt", &s.Prompt, (*reader).prose),
		into("context", &s.Context, (*reader).trimmed),
		{key: "termination", read: s.readTermination},
		into("output_path", &s.OutputPath, (*reader).outputPath),
		into("until", &s.Until, (*reader).line),
		into("runs", &s.Runs, (*reader).count),
		into("min_iterations", &s.MinIterations, (*reader).count),
		into("agent", &s.Agent, (*reader).agentName),
		into("model", &s.Model, (*reader).line),
		into("judge", &s.Judge, (*reader).judge),
		into("inputs", &s.Inputs, (*reader).inputs),
		into("needs", &s.needs, (*reader).references),
		into("delay", &s.Delay, (*reader).duration),
		into("guardrails.max_runtime_seconds", &s.MaxTime, (*reader).seconds),
		into("guardrails.max_cost", &s.MaxCost, (*reader).dollars),
		into("guardrails.no_progress", &s.NoProgress, (*reader).count),
		into("commit", &s.Commit, (*reader).truth),
		into("may_be_empty", &s.MayBeEmpty, (*reader).truth),
		into("verify", &s.Verify, (*reader).lines),
		into("parallel", &s.Parallel, (*reader).parallel),
	}
}

// Keys of stages that are not for everything that is read as one.
var (
	// notInLoops: the file of a loop has its own name and description, and does not know
	// who runs it.
	notInLoops = []string{"id", "description", "stage", "loop", "inputs", "needs", "parallel"}
	// notInBranches: the branch says who does its stages, and they run one after the other.
	notInBranches = []string{"needs", "parallel", "agent", "model", "commit"}
	// notOnBlocks mean nothing on a stage whose parallel block has stages.
	notOnBlocks = []string{"until", "termination", "runs", "min_iterations", "agent", "output_path", "model", "judge", "delay", "guardrails", "verify"}
)

func withoutKeys(fields []field, keys []string) []field {
	return slices.DeleteFunc(fields, func(f field) bool { return slices.Contains(keys, f.key) })
}

// keysBelow are the keys that a mapping may have, without their prefix.
func keysBelow(fields []field, prefix string) (all []string) {
	for _, f := range fields {
		if rest, ok := strings.CutPrefix(f.key, prefix); ok {
			key, _, _ := strings.Cut(rest, ".")
			all = append(all, key)
		}
	}
	return slices.Compact(all)
}

// fill reads a mapping into fields, and records where each key was written. It tells
// whether it is a mapping.
func (r *reader) fill(n *node, what string, fields []field, at places) bool {
	at[""] = n.place
	return r.fillBelow(n, what, "", fields, at)
}

func (r *reader) fillBelow(n *node, what, prefix string, fields []field, at places) bool {
	if n.kind != mapping {
		r.say(n.place, "%s must be a mapping, not %s", what, n.kind)
		return false
	}
	known := keysBelow(fields, prefix)
	for _, e := range n.entries {
		key, isOther := synonyms[what][e.key]
		switch {
		case !isOther:
			key = e.key
		case n.get(key) != nil:
			r.say(e.value.place, "%s and %s are the same; give one of them", key, e.key)
			continue
		}
		if !slices.Contains(known, key) {
			r.say(e.at, "%s has no key %q%s", what, e.key, text.DidYouMean(e.key, known))
			continue
		}
		r.dialect = r.dialect || slices.Contains(dialectKeys, e.key)
		if !r.set(e.value, prefix+key, e.key, fields, at) {
			at[key] = e.value.place
			r.fillBelow(e.value, e.key, prefix+key+".", fields, at)
		}
	}
	return true
}

// set reads a value into the field of a key; false when there is none.
func (r *reader) set(n *node, key, what string, fields []field, at places) bool {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return false
	}
	at[key] = n.place
	fields[i].read(r, n, what)
	return true
}

// inherit takes what a stage does not say itself from its loop, or from the pipeline.
// A model goes with its agent: that of another is not taken.
func (s *Stage) inherit(from *Stage) {
	theirs := from.fields()
	for i, f := range s.fields() {
		at, said := from.at[f.key]
		switch {
		case !said || s.at.has(f.key) || f.take == nil || slices.Contains(notInLoops, f.key):
		case f.key == "model" && s.Agent != "" && s.Agent != from.Agent:
		default:
			f.take(theirs[i].to)
			s.at[f.key] = at
		}
	}
}
