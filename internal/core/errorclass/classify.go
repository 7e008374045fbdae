package errorclass

import (
	"strconv"
	"strings"

	"warp/internal/core/lexicon"
)

// fileTools quote what they were given, a text to replace for example, below
// the line that says what went wrong.
var fileTools = lexicon.Set{List: "Read Edit MultiEdit Write NotebookEdit NotebookRead Glob Grep LS"}

// Classify tells which fault a failed call of a tool was; isError is false, and
// the class None, when it was none.
func Classify(tool, message string, interrupted bool) (class Class, isError bool) {
	lines := window(message)
	if interrupted || stopped(lines) {
		return None, false
	}
	if fileTools.Has(tool) {
		lines = lines[:min(1, len(lines))]
	}
	code, ran := exitCode(lines)
	switch {
	case outOfTime(lines):
		return Timeout, true
	case ran && ofExit(code) != None:
		return ofExit(code), true
	case ran && (code == interruptExit || verdict(lines)):
		return None, false
	}
	if class := signed(lines, ran); class != None {
		return class, true
	}
	if ran {
		return None, false // a command may exit as it likes
	}
	return Unknown, true
}

// interruptExit is what a shell exits with after the interrupt key.
const interruptExit = 130

// exitCode reads the first line of a command's failure.
func exitCode(lines []string) (code int, ok bool) {
	if len(lines) == 0 {
		return 0, false
	}
	rest, ok := strings.CutPrefix(lines[0], "exit code ")
	if !ok {
		return 0, false
	}
	code, err := strconv.Atoi(rest)
	return code, err == nil
}

// ofExit is the class of the exit codes that the shell and its helpers keep for
// themselves.
func ofExit(code int) Class {
	switch code {
	case 124: // timeout(1)
		return Timeout
	case 126: // found, but not to be executed
		return Permission
	case 127: // not found
		return Unknown
	case 137: // killed: by the kernel, for want of memory, unless somebody did it by hand
		return Resource
	}
	return None
}

// outOfTime tells what the agent says of a command that it ended itself.
func outOfTime(lines []string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, "command timed out") {
			return true
		}
	}
	return false
}
