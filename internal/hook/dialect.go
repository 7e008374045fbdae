package hook

import (
	"fmt"
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// dialect is one agent's hook protocol. All agents share one set of concerns.
type dialect struct {
	read func([]byte) (hookPayload, error)
	// event translates the agent's name of an event to Claude's.
	event func(string) string
	// folder returns the project's folder. dir is the session's folder as the payload names it; the
	// agent's shell may have moved elsewhere.
	folder func(env *Env, dir string) string
	answer func(hookAnswer, string, Env) int
}

// dialects is in the order in which error messages list it.
var dialects = lazy.Table[string, dialect]{
	{"claude", dialect{readPayload, keepText, claudeFolder, answerClaude}},
	{"codex", dialect{readCodex, keepText, codexFolder, answerCodex}},
	{"gemini", dialect{readGemini, translateGeminiEvent, claudeFolder, answerGemini}},
}

// chooseDialect takes the agent from the arguments: Claude, unless they name another.
func chooseDialect(args []string) (speak dialect, rest []string, err error) {
	if len(args) < 2 || args[0] != "--agent" {
		return dialects.Get("claude"), args, nil
	}
	speak, known := dialects.Find(args[1])
	if !known {
		var names []string
		for _, d := range dialects {
			names = append(names, d.Key)
		}
		err = fmt.Errorf("there is no agent %q; there are %s", args[1], strings.Join(names, ", "))
	}
	return speak, args[2:], err
}

func keepText(text string) string { return text }

func claudeFolder(env *Env, dir string) string {
	for _, dir := range [...]string{env.Getenv("CLAUDE_PROJECT_DIR"), dir} {
		if filepath.IsAbs(dir) {
			return dir
		}
	}
	return env.Dir()
}

func answerClaude(a hookAnswer, event string, env Env) int {
	return printAnswer(a.claude(event), a, env)
}

// printAnswer prints an answer. If a denial cannot be printed, the exit code denies instead.
func printAnswer(out []byte, a hookAnswer, env Env) int {
	if out == nil {
		return 0
	}
	if _, err := env.Out.Write(out); err != nil && a.Deny != "" {
		_, _ = env.Err.Write([]byte(a.Deny)) // the exit code denies without it too
		return 2
	}
	return 0
}

// prefix begins all of warp's messages to an agent.
const prefix = "[warp-drive] "

// hookAnswer collects what the concerns of an event want to tell the agent.
type hookAnswer struct {
	Deny    string   // PreToolUse: why the call is refused
	Allow   string   // PreToolUse: why the person need not be asked
	Block   string   // Stop: why the agent must go on; PostToolUse: what is wrong
	Context []string // text for the agent
	Message string   // text for the person
}

func (a *hookAnswer) deny(why string) {
	if a.Deny == "" {
		a.Deny = prefix + why
	}
}

func (a *hookAnswer) tell(text string) { a.Context = append(a.Context, prefix+text) }

// inform adds a line for the person; "" adds none.
func (a *hookAnswer) inform(text string) {
	if text != "" {
		a.Message = strings.TrimPrefix(a.Message+"\n"+prefix+text, "\n")
	}
}

// claude encodes the answer in Claude Code's protocol.
func (a hookAnswer) claude(event string) []byte {
	var out, specific []lossless.Member
	switch {
	case a.Deny != "":
		addText(&specific, "permissionDecision", "deny")
		addText(&specific, "permissionDecisionReason", a.Deny)
	case a.Allow != "":
		addText(&specific, "permissionDecision", "allow")
		addText(&specific, "permissionDecisionReason", prefix+a.Allow)
	}
	addText(&specific, "additionalContext", strings.Join(a.Context, "\n"))
	if a.Block != "" {
		addText(&out, "decision", "block")
		addText(&out, "reason", a.Block)
	}
	addText(&out, "systemMessage", a.Message)
	return spellAnswer(out, event, specific)
}

// addText adds a member to an answer unless the text is empty.
func addText(to *[]lossless.Member, key, text string) {
	if text != "" {
		*to = append(*to, lossless.Member{Key: key, Value: lossless.NewString(text)})
	}
}

// spellAnswer encodes an answer for the agent; nil if it is empty.
func spellAnswer(out []lossless.Member, event string, specific []lossless.Member) []byte {
	if specific != nil {
		specific = append([]lossless.Member{{Key: "hookEventName", Value: lossless.NewString(event)}}, specific...)
		out = append(out, lossless.Member{Key: "hookSpecificOutput", Value: lossless.NewObject(specific...)})
	}
	if out == nil {
		return nil
	}
	return append(lossless.AppendCompact(nil, lossless.NewObject(out...)), '\n')
}
