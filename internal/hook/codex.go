package hook

import (
	"path/filepath"
	"slices"
	"strings"
)

// patchTool is Codex's tool for edits; its input is a patch.
const patchTool = "apply_patch"

// readCodex reads a payload of Codex: Claude's format with another tool for edits.
func readCodex(data []byte) (hookPayload, error) {
	p, err := readPayload(data)
	if p.Event == "PreToolUse" && p.Tool == "Bash" && isInteractive(p.input("command")) {
		// No hook sees what is typed into it later.
		p.Input = []byte(`{"command":"eval \"$TYPED_LATER\" # git"}`)
	}
	return p, err
}

// interactivePrograms read commands from a terminal unless their arguments name something to run.
var interactivePrograms = []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "irb", "perl"}

// isInteractive reports whether a command starts a program that will be typed into.
func isInteractive(command string) bool {
	words := strings.Fields(command)
	for len(words) > 0 && (slices.Contains([]string{"exec", "env", "command", "nohup"}, words[0]) || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	if len(words) == 0 || !slices.Contains(interactivePrograms, filepath.Base(words[0])) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w string) bool {
		code := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && (strings.Contains(w, "c") || w == "-e" && !strings.HasSuffix(words[0], "sh"))
		return code || w == "-m" || !strings.HasPrefix(w, "-")
	})
}

// codexFolder returns the hook's own folder: the payload's is the one that a command asked for.
func codexFolder(env *Env, _ string) string { return env.Dir() }

// listPatchedFiles returns the files that a patch adds, changes, deletes or moves to.
func listPatchedFiles(patch string) []string {
	var files []string
	for line := range strings.Lines(patch) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(line, mark); ok {
				files = append(files, strings.TrimSpace(name))
			}
		}
	}
	return files
}

// answerCodex leaves out everything but the reason of a denial, and all messages for people:
// Codex silently lets a call pass if the answer has a member that it does not know.
func answerCodex(a hookAnswer, event string, env Env) int {
	a.Message = ""
	if a.Deny != "" {
		a.Context = nil
	}
	return printAnswer(a.claude(event), a, env)
}
