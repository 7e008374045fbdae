package telemetry

import (
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// said handles a line of the user's side: a prompt, tool results, or what the agent's program
// writes in the user's name.
func (r *reader) said(v *lossless.Value) {
	content := v.Get("message").Get("content")
	results := false
	for _, block := range elems(content) {
		if block.Get("type").Text() == "tool_result" {
			results = true
			r.answered(block.Get("tool_use_id").Text())
		}
	}
	if results || isTrue(v.Get("isMeta")) || isTrue(v.Get("isCompactSummary")) {
		return
	}
	if p := typed(content.Text()); p != "" {
		r.Prompt = p
	}
	for _, block := range elems(content) {
		if p := typed(block.Get("text").Text()); p != "" && block.Get("type").Text() == "text" {
			r.Prompt = p
			return
		}
	}
}

// typed returns the part of a text that a person typed, or "".
func typed(text string) string {
	text = strings.TrimSpace(text)
	if name := tagged(text, "command-name"); name != "" && machine(text) {
		return strings.TrimSpace(name + " " + tagged(text, "command-args"))
	}
	if machine(text) || strings.HasPrefix(text, "[Request interrupted by user") {
		return ""
	}
	text, _, _ = strings.Cut(text, "<system-reminder>")
	return strings.TrimSpace(text)
}

// machine reports whether a text begins with a tag that the agent's program writes:
// <system-reminder>, <local-command-stdout>, <bash-input>. All of these contain a dash, which no
// HTML tag does.
func machine(prompt string) bool {
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
