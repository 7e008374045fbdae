package errorclass

import (
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/lazy"
)

// fileTools quote their input, for example a text to replace, below the line that says what went
// wrong.
var fileTools = []string{"Read", "Edit", "MultiEdit", "Write", "NotebookEdit", "NotebookRead", "Glob", "Grep", "LS"}

// exitClasses are the exit codes that the shell and its helpers reserve.
var exitClasses = lazy.Table[int, Class]{
	{124, Timeout},    // timeout(1)
	{126, Permission}, // found, but not executable
	{127, Unknown},    // not found
	{130, None},       // the interrupt key
	{137, Resource},   // killed: by the kernel for lack of memory, unless a person did it
}

// Classify returns the class of a failed tool call; isError is false, and the class None, if it was
// no error.
func Classify(tool, message string, interrupted bool) (class Class, isError bool) {
	edges := edgesOf(message)
	if interrupted || len(edges) > 0 && isStopped(edges[0]) || slices.ContainsFunc(edges, isGuarded) {
		return None, false
	}
	if slices.Contains(fileTools, tool) {
		edges = edges[:min(1, len(edges))]
	}
	if slices.ContainsFunc(edges, func(l string) bool { return strings.HasPrefix(l, "command timed out") }) {
		return Timeout, true // the agent says this about a command it ended itself
	}
	code, ran := exitCode(edges)
	if class, known := exitClasses.Find(code); ran && known {
		return class, class != None
	}
	if ran && slices.ContainsFunc(edges, isVerdict) {
		return None, false // the command worked; what it found is the agent's work
	}
	if class := findSign(edges, ran); class != None {
		return class, true
	}
	if ran {
		return None, false // a command may exit as it likes
	}
	return Unknown, true
}

// exitCode reads the first line of a command's failure.
func exitCode(edges []string) (code int, ok bool) {
	if len(edges) == 0 {
		return 0, false
	}
	rest, ok := strings.CutPrefix(edges[0], "exit code ")
	code, err := strconv.Atoi(rest)
	return code, ok && err == nil
}

// IsMisspelledCall reports whether a message complains about the call itself: a command line that
// the shell cannot read, or an input that the tool does not accept. The project is not at fault,
// and the tool's next successful call has corrected it.
func IsMisspelledCall(message string) bool {
	return slices.ContainsFunc(edgesOf(message), func(line string) bool {
		return strings.HasPrefix(line, "inputvalidationerror") ||
			isShellCall(line) && findSign([]string{line}, true) == Syntax
	})
}

// findSign returns the first class, in the order of the table, that a line shows.
func findSign(edges []string, command bool) Class {
	for _, s := range table {
		phrases, statuses := divide(s.phrases), divide(s.statuses)
		if !command {
			phrases = append(phrases, divide(s.weak)...)
		}
		for _, line := range edges {
			cites := citesFile(line)
			if !cites && hasStatus(line, statuses) {
				return s.class
			}
			if command && (hasPrefix(line, remarks) || cites && s.class != Syntax) {
				continue
			}
			if slices.ContainsFunc(phrases, func(p string) bool { return hasPhrase(line, p) }) {
				return s.class
			}
		}
	}
	return None
}

// hasPhrase reports whether a line contains a phrase on its own, not as part of a longer name, a
// path or a file's name.
func hasPhrase(line, phrase string) bool {
	for from := 0; ; {
		at := strings.Index(line[from:], phrase)
		if at < 0 {
			return false
		}
		at += from
		rest := line[at+len(phrase):]
		if (at == 0 || !joins(line[at-1])) && (rest == "" || !joins(rest[0])) && !(len(rest) > 1 && rest[0] == '.' && isLetter(rest[1])) {
			return true
		}
		from = at + 1
	}
}

func joins(c byte) bool { return isWord(c) || c == '/' || c == '-' || c == '$' }

func isWord(c byte) bool { return c == '_' || c >= '0' && c <= '9' || isLetter(c) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// hasStatus reports whether a line has one of these statuses, with its name or announced as one.
func hasStatus(line string, statuses []string) bool {
	words := strings.FieldsFunc(line, func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) })
	joined := " " + strings.Join(words, " ")
	return slices.ContainsFunc(statuses, func(s string) bool { return strings.Contains(joined, " "+s) || isAnnounced(words, s[:3]) })
}

var announcers = []string{"http", "https", "status", "statuscode", "status_code", "code", "error", "response", "returned"}

// isAnnounced reports whether a code follows a word that announces one, perhaps with the version of
// HTTP/1.1 in between.
func isAnnounced(words []string, code string) bool {
	for i, w := range words {
		if w != code || i == 0 {
			continue
		}
		before, version := i-1, 0
		for before > 0 && version < 2 && len(words[before]) == 1 && isNumber(words[before]) {
			before, version = before-1, version+1
		}
		if words[before] == "http" || version == 0 && slices.Contains(announcers, words[before]) {
			return true
		}
	}
	return false
}

const (
	edge      = 5   // lines from either end, without blank ones
	lineLimit = 500 // bytes of a line: longer ones are data
)

// edgesOf returns the first and last lines of a message, in lower case.
func edgesOf(message string) []string {
	var head, tail []string
	rest := message
	for len(head) < edge && rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if line = clean(line); line != "" {
			head = append(head, line)
		}
	}
	for len(tail) < edge && rest != "" {
		at := strings.LastIndexByte(rest, '\n')
		if line := clean(rest[at+1:]); line != "" {
			tail = append(tail, line)
		}
		rest = rest[:max(at, 0)]
	}
	slices.Reverse(tail)
	return append(head, tail...)
}

// clean returns a line in lower case, without colours, surrounding spaces and the agent's wrapping
// of errors.
func clean(line string) string {
	line = strings.TrimSpace(line[:min(len(line), 2*lineLimit)])
	line = strings.TrimSpace(strings.TrimPrefix(lower(dropColours(line)), "<tool_use_error>"))
	return line[:min(len(line), lineLimit)]
}

// lower changes only ASCII letters: a message need not be text.
func lower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c | 0x20
		}
	}
	return string(out)
}

// dropColours removes terminal control sequences: an escape and, after a bracket, everything up to
// a letter.
func dropColours(line string) string {
	plain, rest, found := strings.Cut(line, "\x1b")
	for found {
		if after, is := strings.CutPrefix(rest, "["); is {
			rest = strings.TrimLeftFunc(after, func(r rune) bool { return r < 0x40 || r > 0x7e })
			rest = rest[min(1, len(rest)):]
		}
		var more string
		more, rest, found = strings.Cut(rest, "\x1b")
		plain += more
	}
	return plain
}
