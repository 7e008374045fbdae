package hook

import (
	"fmt"
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
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
		err = fmt.Errorf("there is no agent %q; there are %s", args[1], strings.Join(listAgents(), ", "))
	}
	return speak, args[2:], err
}

func listAgents() (names []string) {
	for _, d := range dialects {
		names = append(names, d.Key)
	}
	return names
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
