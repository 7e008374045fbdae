package hook

import (
	"cmp"
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// geminiEvents maps Gemini's events to Claude's. PreCompress is missing because it comes before
// every request and carries no information.
var geminiEvents = lazy.Table[string, string]{{"BeforeTool", "PreToolUse"}, {"AfterTool", "PostToolUse"}, {"BeforeAgent", "UserPromptSubmit"}, {"AfterAgent", "Stop"}}

var geminiTools = lazy.Table[string, string]{{"run_shell_command", "Bash"}, {"write_file", "Write"}, {"replace", "Edit"}}

func translateGeminiEvent(name string) string {
	if ours := geminiEvents.Get(name); ours != "" {
		return ours
	}
	return name
}

// readGemini translates a payload of Gemini CLI into Claude's terms.
func readGemini(data []byte) (hookPayload, error) {
	p, err := readPayload(data)
	p.Event, p.Response = translateGeminiEvent(p.Event), nil
	if ours := geminiTools.Get(p.Tool); ours != "" {
		p.Tool = ours
	}
	if dir := p.input("dir_path"); dir != "" && p.Tool == "Bash" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Dir, dir)
		}
		p.Dir = filepath.Clean(dir)
	}
	_ = lossless.Scan(data, func(key string, raw []byte) { // readPayload has returned the error
		switch key {
		case "prompt_response":
			p.LastMessage = lossless.Plain(raw)
		case "tool_response":
			if failure := readFailure(raw); failure != "" && p.Event == "PostToolUse" {
				p.Event, p.Error = "PostToolUseFailure", failure
			}
		}
	})
	return p, err
}

// readFailure returns the error in a tool's response; "" if there is none.
func readFailure(raw []byte) string {
	v, _ := lossless.Parse(raw) // nil on an error
	e := v.Get("error")
	if e.Type() == lossless.Null {
		return readExitCode(v.Get("llmContent").Text())
	}
	if e.Kind == lossless.String {
		return e.Text()
	}
	return e.Get("message").Text()
}

// readExitCode words a failed command as Claude does: Gemini prints its exit code in a line after
// the output.
func readExitCode(content string) string {
	const mark = "\nExit Code: "
	at := strings.LastIndex(content, mark)
	if at < 0 {
		return ""
	}
	code, _, _ := strings.Cut(content[at+len(mark):], "\n")
	if code == "0" || code == "(none)" {
		return ""
	}
	output := strings.TrimPrefix(strings.TrimPrefix(content[:at], "<untrusted_context>\n"), "Output: ")
	return "Exit code " + strings.TrimSpace(code) + "\n" + output
}

// answerGemini prints decision and reason as Gemini knows them; the rest is as for Claude.
func answerGemini(a hookAnswer, event string, env Env) int {
	var out, specific []lossless.Member
	if why := cmp.Or(a.Deny, a.Block); why != "" {
		addText(&out, "decision", "deny")
		addText(&out, "reason", why)
	}
	addText(&out, "systemMessage", a.Message)
	addText(&specific, "additionalContext", strings.Join(a.Context, "\n"))
	return printAnswer(spellAnswer(out, event, specific), a, env)
}
