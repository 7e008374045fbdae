package hook

import (
	"path/filepath"
	"slices"
	"strings"
)

// patchTool is how Codex edits files: its input is a patch.
const patchTool = "apply_patch"

// readCodex reads a payload of Codex: Claude's shape, with another tool for
// edits.
func readCodex(data []byte) (Payload, error) {
	p, err := ReadPayload(data)
	if p.Event == "PreToolUse" && p.Tool == "Bash" && interactive(p.input("command")) {
		// What is typed into it later is shown to no hook.
		p.Input = []byte(`{"command":"eval \"$TYPED_LATER\" # git"}`)
	}
	return p, err
}

// typed are programs that read from a terminal what they are to do, when nothing
// on their command line tells them.
var typed = []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "irb", "perl"}

// interactive tells whether a command starts a program that will be typed into.
func interactive(command string) bool {
	words := strings.Fields(command)
	for len(words) > 0 && (slices.Contains([]string{"exec", "env", "command", "nohup"}, words[0]) || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	if len(words) == 0 || !slices.Contains(typed, filepath.Base(words[0])) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w string) bool {
		code := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && (strings.Contains(w, "c") || w == "-e" && !strings.HasSuffix(words[0], "sh"))
		return code || w == "-m" || !strings.HasPrefix(w, "-")
	})
}

// codexFolder: the payload's folder is the one that a command asked for, so it
// is the hook's own that counts.
func codexFolder(c *call) string { return c.around.Dir() }

// patched lists the files that a patch adds, changes, deletes or moves to.
func patched(patch string) []string {
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

// answerCodex: Codex lets a call pass, without a word, when an answer has a
// member that it does not know. So a denial says nothing else, and messages
// for people are left out.
func answerCodex(a Answer, event string, around Surroundings) int {
	a.Message = ""
	if a.Deny != "" {
		a.Context = nil
	}
	return say(a.claude(event), a, around)
}
