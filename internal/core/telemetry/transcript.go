package telemetry

import (
	"bytes"
	"iter"
	"slices"

	"warp/internal/core/lossless"
)

// Facts is what a transcript tells.
type Facts struct {
	ContextTokens  int      // that the last answer was given from
	Files          []string // that tools were given, each once, in order; bounded
	FilesRead      int      // how many files those are, listed or not
	FilesInContext []string // those since the context was last compacted
	Prompt         string   // the last that a person typed
	Calls          []Call   // that started agents and have no result yet
	APIError       bool     // the last answer is an error of the API
}

// Call is one that started an agent.
type Call struct {
	ID          string
	Description string
	Prompt      string
	Type        string // of the agent
}

// ReadTranscript reads a transcript line by line. Its shape is not documented:
// what is not understood is passed over.
func ReadTranscript(lines iter.Seq[[]byte]) Facts {
	r := reader{seen: map[string]bool{}, inContext: map[string]bool{}}
	for line := range lines {
		// Most bytes of a transcript are in lines of other kinds.
		if !bytes.Contains(line, []byte(`"message"`)) && !bytes.Contains(line, []byte(`"compact_boundary"`)) {
			continue
		}
		if v, err := lossless.Parse(line); err == nil {
			r.line(v)
		}
	}
	return r.Facts
}

type reader struct {
	Facts
	seen, inContext map[string]bool
	begun, side     bool
}

func (r *reader) line(v *lossless.Value) {
	kind := v.Get("type").Text()
	switch {
	case kind == "system" && v.Get("subtype").Text() == "compact_boundary":
		r.FilesInContext = nil
		clear(r.inContext)
	case kind != "user" && kind != "assistant" || r.beside(v):
	case kind == "assistant":
		r.answer(v)
	default:
		r.said(v)
	}
}

// beside tells a line of another conversation in the same transcript: that of
// an agent in its session's, or the other way round.
func (r *reader) beside(v *lossless.Value) bool {
	side := isTrue(v.Get("isSidechain"))
	if !r.begun {
		r.begun, r.side = true, side
	}
	return side != r.side
}

func (r *reader) answer(v *lossless.Value) {
	message := v.Get("message")
	r.APIError = isTrue(v.Get("isApiErrorMessage"))
	if !r.APIError {
		if n, ok := contextTokens(message.Get("usage")); ok {
			r.ContextTokens = n
		}
	}
	for _, block := range elems(message.Get("content")) {
		if block.Get("type").Text() == "tool_use" {
			r.called(block)
		}
	}
}

// contextTokens is what an answer was given from: what was sent with it, and
// what the cache had.
func contextTokens(usage *lossless.Value) (sum int, ok bool) {
	for _, name := range [...]string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		if n, is := usage.Get(name).Int(); is && n >= 0 {
			sum, ok = sum+int(n), true
		}
	}
	return sum, ok
}

func (r *reader) called(block *lossless.Value) {
	input := block.Get("input")
	switch block.Get("name").Text() {
	case "Read", "Grep", "Glob", "Edit", "MultiEdit", "Write", "NotebookEdit":
		for _, name := range [...]string{"file_path", "notebook_path", "path"} {
			r.file(input.Get(name).Text())
		}
	case "Agent", "Task":
		r.Calls = append(r.Calls, Call{
			ID:          block.Get("id").Text(),
			Description: input.Get("description").Text(),
			Prompt:      input.Get("prompt").Text(),
			Type:        input.Get("subagent_type").Text(),
		})
	}
}

func (r *reader) file(path string) {
	if path == "" {
		return
	}
	if !r.seen[path] {
		r.seen[path] = true
		r.FilesRead++
		if len(r.Files) < MaxFiles {
			r.Files = append(r.Files, path)
		}
	}
	if !r.inContext[path] && len(r.FilesInContext) < MaxFiles {
		r.inContext[path] = true
		r.FilesInContext = append(r.FilesInContext, path)
	}
}

func (r *reader) answered(id string) {
	r.Calls = slices.DeleteFunc(r.Calls, func(c Call) bool { return c.ID == id })
}

func elems(v *lossless.Value) []*lossless.Value {
	if v == nil {
		return nil
	}
	return v.Elems
}

func isTrue(v *lossless.Value) bool { return v != nil && v.Raw == "true" }
