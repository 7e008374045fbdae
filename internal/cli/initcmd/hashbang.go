package initcmd

import (
	"path"
	"slices"
	"strings"
)

// readByShell reports whether a script names a shell that can read it under another
// file's name, as githook.sh does it.
func readByShell(script []byte) bool {
	first, _, _ := strings.Cut(string(script), "\n")
	line, found := strings.CutPrefix(first, "#!")
	words := strings.Fields(line)
	if len(words) > 0 && path.Base(words[0]) == "env" {
		words = words[1:]
	}
	if len(words) > 0 && words[0] == "-S" {
		words = words[1:]
	}
	return found && len(words) > 0 && slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh"}, path.Base(words[0]))
}
