package telemetry

import (
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// readUserLine handles a line of the user's side: a prompt, tool results, or what the agent's program
// writes in the user's name.
func (r *reader) readUserLine(v *lossless.Value) {
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
	if p := typedPrompt(content.Text()); p != "" {
		r.Prompt = p
	}
	for _, block := range elems(content) {
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
