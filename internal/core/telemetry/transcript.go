package telemetry

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Facts are what a transcript shows.
type Facts struct {
	ContextTokens  int      // context of the last answer
	Files          []string // files passed to tools, distinct, in order; bounded
	FilesRead      int      // number of those files, listed or not
	FilesInContext []string // since the last compaction
	Prompt         string   // the last one a person typed
	Calls          []Call   // that started agents and have no result yet
	APIError       bool     // the last answer is an API error
}

// Call is a tool call that started an agent.
type Call struct {
	ID          string
	Description string
	Prompt      string
	Type        string // the agent's
}

// ReadTranscript reads a transcript line by line. The format is undocumented, so it ignores what it
// does not understand.
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
	case kind != "user" && kind != "assistant" || r.isOtherConversation(v):
	case kind == "assistant":
		r.answer(v)
	default:
		r.readUserLine(v)
	}
}

// isOtherConversation reports whether a line belongs to another conversation in the same transcript: an agent's
// in its session's, or the other way round.
func (r *reader) isOtherConversation(v *lossless.Value) bool {
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
	for _, block := range message.Get("content").List() {
		if block.Get("type").Text() == "tool_use" {
			r.called(block)
		}
	}
}

// contextTokens returns the size of an answer's context: the tokens sent and those in the cache.
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

func isTrue(v *lossless.Value) bool { return v != nil && v.Raw == "true" }

// readUserLine handles a line of the user's side: a prompt, tool results, or what the agent's program
// writes in the user's name.
func (r *reader) readUserLine(v *lossless.Value) {
	content := v.Get("message").Get("content")
	results := false
	for _, block := range content.List() {
		if block.Get("type").Text() == "tool_result" {
			results = true
			r.answered(block.Get("tool_use_id").Text())
		}
	}
	if results || isTrue(v.Get("isMeta")) || isTrue(v.Get("isCompactSummary")) {
		return
	}
	if p := typedPrompt(content.Text()); p != "" {
		r.Prompt = p
	}
	for _, block := range content.List() {
		if p := typedPrompt(block.Get("text").Text()); p != "" && block.Get("type").Text() == "text" {
			r.Prompt = p
			return
		}
	}
}

// typedPrompt returns the part of a text that a person typed, or "".
func typedPrompt(text string) string {
	text = strings.TrimSpace(text)
	if name := tagged(text, "command-name"); name != "" && isMachineText(text) {
		return strings.TrimSpace(name + " " + tagged(text, "command-args"))
	}
	if isMachineText(text) || strings.HasPrefix(text, "[Request interrupted by user") {
		return ""
	}
	text, _, _ = strings.Cut(text, "<system-reminder>")
	return strings.TrimSpace(text)
}

// isMachineText reports whether a text begins with a tag that the agent's program writes:
// <system-reminder>, <local-command-stdout>, <bash-input>. All of these contain a dash, which no
// HTML tag does.
func isMachineText(prompt string) bool {
	if !strings.HasPrefix(prompt, "<") {
		return false
	}
	end := 1
	for end < len(prompt) && (text.IsLetter(prompt[end]) || prompt[end] == '-') {
		end++
	}
	return end < len(prompt) && prompt[end] == '>' && strings.IndexByte(prompt[:end], '-') > 1
}

// tagged returns the text between a tag and its end.
func tagged(text, tag string) string {
	_, after, _ := strings.Cut(text, "<"+tag+">")
	inner, _, ok := strings.Cut(after, "</"+tag+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(inner)
}
