package hook

import (
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// geminiEvents are Gemini's words for what we know. Its PreCompress comes
// before every request and says nothing, so it is not among them.
var geminiEvents = lazy.Table[string, string]{{"BeforeTool", "PreToolUse"}, {"AfterTool", "PostToolUse"}, {"BeforeAgent", "UserPromptSubmit"}, {"AfterAgent", "Stop"}}

var geminiTools = lazy.Table[string, string]{{"run_shell_command", "Bash"}, {"write_file", "Write"}, {"replace", "Edit"}}

func translateGeminiEvent(name string) string {
	if ours := geminiEvents.Get(name); ours != "" {
		return ours
	}
	return name
}

// readGemini reads a payload of Gemini CLI into Claude's terms.
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
	_ = lossless.Scan(data, func(key string, raw []byte) { // an error was told above
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

// readFailure is what a tool's response says went wrong.
func readFailure(raw []byte) string {
	v, err := lossless.Parse(raw)
	if err != nil {
		return ""
	}
	e := v.Get("error")
	if e.Type() == lossless.Null {
		return readExitCode(v.Get("llmContent").Text())
	}
	if e.Kind == lossless.String {
		return e.Text()
	}
	return e.Get("message").Text()
}

// readExitCode is a failed command in Claude's words: Gemini tells its exit code in a line
// behind its output.
func readExitCode(content string) string {
	output, rest, found := cutLast(content, "\nExit Code: ")
	code, _, _ := strings.Cut(rest, "\n")
	if !found || code == "0" || code == "(none)" {
		return ""
	}
	output = strings.TrimPrefix(strings.TrimPrefix(output, "<untrusted_context>\n"), "Output: ")
	return "Exit code " + strings.TrimSpace(code) + "\n" + output
}

// cutLast cuts a text at the last place where a separator stands.
func cutLast(s, sep string) (before, after string, found bool) {
	if at := strings.LastIndex(s, sep); at >= 0 {
		return s[:at], s[at+len(sep):], true
	}
	return s, "", false
}

// answerGemini: Gemini knows decision and reason alone; the rest is Claude's.
func answerGemini(a hookAnswer, event string, env Env) int {
	why := a.Deny
	if why == "" {
		why = a.Block
	}
	var out []lossless.Member
	text := func(s string) *lossless.Value { return lossless.NewString(s) }
	if why != "" {
		out = append(out, lossless.Member{Key: "decision", Value: text("deny")}, lossless.Member{Key: "reason", Value: text(why)})
	}
	if a.Message != "" {
		out = append(out, lossless.Member{Key: "systemMessage", Value: text(a.Message)})
	}
	if len(a.Context) > 0 {
		out = append(out, lossless.Member{Key: "hookSpecificOutput", Value: lossless.NewObject(
			lossless.Member{Key: "hookEventName", Value: text(event)},
			lossless.Member{Key: "additionalContext", Value: text(strings.Join(a.Context, "\n"))})})
	}
	if out == nil {
		return 0
	}
	return printAnswer(append(lossless.AppendCompact(nil, lossless.NewObject(out...)), '\n'), a, env)
}
