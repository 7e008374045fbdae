package errorclass

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// lines are what tells, by a line of a message, what is no error or no sign of one. They
// are compiled at their first use: the hook links them and seldom needs them.
var lines = sync.OnceValue(func() (p struct{ stopped, guarded, verdict, remark, cites, call, script *regexp.Regexp }) {
	// A person, a guard or the agent has stopped the call, on purpose.
	p.stopped = regexp.MustCompile(`pretooluse:|the user doesn't want to|interrupted by user|tool use was rejected|user rejected|cancelled: parallel tool call|sibling tool call errored`)
	p.guarded = regexp.MustCompile(`^\[warp-drive\]`) // a guard inside git speaks below the exit code
	// A runner of tests, a linter or a compiler says what it found, or counts: "1 failed,
	// 3 passed in 0.12s". A colon after the word begins a reason, as in "step 3 failed:
	// no route to host".
	p.verdict = regexp.MustCompile(`^(?:--- fail|fail(?:$|[\t ])|failed(?: \(|!)|failures:|test result: failed|tests:|test suites:|test files |not ok |# fail |assertionerror|` +
		`error: test failed|\[error\] tests run:|npm err(?:!|or) test failed)|failing tests|` +
		`(?:^|[\s(|])\d+\s+(?:failed|passed|failing|passing|failures?|examples|assertions|problems?|tests)[,;|.)]*(?:\s|$)|` +
		`^found (?:.*\s)?\d+\s+error|(?:^|\s)\d+\s+errors? .*generated\.$|(?:^|\s)\d+\s+errors? generated\.$`)
	p.remark = regexp.MustCompile(`^(?:grep|rg|find|du|tree): `) // they go on when they may not read one file of many
	// A place in a file, "src/a.go:12: …": a match of a search, or a compiler's complaint.
	// An address is no file.
	p.cites = regexp.MustCompile(`^(?:[^\s:\d][^\s:]*)?\.[^\s:]*:\d+[:-]`)
	p.call = regexp.MustCompile(`(?:^|/)(?:bash|sh|zsh|dash|eval|zsh:1): `) // a shell on its command line
	p.script = regexp.MustCompile(`\.sh:`)
	return p
})

// fileTools quote what they were given, a text to replace for example, below the line
// that says what went wrong.
var fileTools = strings.Fields("Read Edit MultiEdit Write NotebookEdit NotebookRead Glob Grep LS")

// exitClasses are the exit codes that the shell and its helpers keep for themselves.
var exitClasses = map[int]Class{
	124: Timeout,    // timeout(1)
	126: Permission, // found, but not to be executed
	127: Unknown,    // not found
	130: None,       // the interrupt key
	137: Resource,   // killed: by the kernel, for want of memory, unless a person did it
}

// Classify tells which error a failed call of a tool was; isError is false, and the class
// None, when it was none.
func Classify(tool, message string, interrupted bool) (class Class, isError bool) {
	edges, is := edgesOf(message), lines()
	if interrupted || len(edges) > 0 && is.stopped.MatchString(edges[0]) || slices.ContainsFunc(edges, is.guarded.MatchString) {
		return None, false
	}
	if slices.Contains(fileTools, tool) {
		edges = edges[:min(1, len(edges))]
	}
	if slices.ContainsFunc(edges, func(l string) bool { return strings.HasPrefix(l, "command timed out") }) {
		return Timeout, true // the agent says so of a command that it ended itself
	}
	code, ran := exitCode(edges)
	if class, known := exitClasses[code]; ran && known {
		return class, class != None
	}
	if ran && slices.ContainsFunc(edges, is.verdict.MatchString) {
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

// IsMisspelledCall tells a message that complains about the call itself: a command line
// that the shell cannot read, or an input that the tool does not take. The project is not
// at fault, and the next call of the tool that succeeds has corrected it.
func IsMisspelledCall(message string) bool {
	is := lines()
	return slices.ContainsFunc(edgesOf(message), func(line string) bool {
		return strings.HasPrefix(line, "inputvalidationerror") ||
			is.call.MatchString(line) && !is.script.MatchString(line) && findSign([]string{line}, true) == Syntax
	})
}

// findSign is the first class, in the order of the table, that a line shows.
func findSign(edges []string, command bool) Class {
	is := lines()
	for _, s := range table {
		phrases, statuses := divide(s.phrases), divide(s.statuses)
		if !command {
			phrases = append(phrases, divide(s.weak)...)
		}
		for _, line := range edges {
			cites := is.cites.MatchString(line)
			if !cites && hasStatus(line, statuses) {
				return s.class
			}
			if command && (is.remark.MatchString(line) || cites && s.class != Syntax) {
				continue
			}
			if slices.ContainsFunc(phrases, func(p string) bool { return hasPhrase(line, p) }) {
				return s.class
			}
		}
	}
	return None
}

// hasPhrase tells whether a phrase stands in a line by itself, not as part of a longer
// name, of a path or of a file's name.
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

// announced is a status behind what stands before one, the version of HTTP/1.1 between.
var announced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:https?|status|statuscode|status_code|code|error|response|returned|http \d|http \d \d) (\d{3})\b`)
})

// hasStatus tells whether a line has one of some statuses, with its name or announced as
// one.
func hasStatus(line string, statuses []string) bool {
	words := " " + strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) }), " ")
	var codes []string
	for _, m := range announced().FindAllStringSubmatch(words, -1) {
		codes = append(codes, m[1])
	}
	return slices.ContainsFunc(statuses, func(s string) bool { return strings.Contains(words, " "+s) || slices.Contains(codes, s[:3]) })
}

const (
	edge      = 5   // lines looked at from either end; blank ones do not count
	lineLimit = 500 // bytes looked at of a line: longer ones are data
)

// edgesOf is the edges of a message, line by line, in lower case.
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

var colours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b(?:\[[^\x40-\x7e]*[\x40-\x7e]?)?`) })

// clean is a line without colours, blanks around it and what the agent wraps around
// errors, in lower case.
func clean(line string) string {
	line = strings.TrimSpace(line[:min(len(line), 2*lineLimit)])
	if strings.IndexByte(line, 0x1b) >= 0 {
		line = colours().ReplaceAllString(line, "")
	}
	line = strings.TrimSpace(strings.TrimPrefix(lower(line), "<tool_use_error>"))
	return line[:min(len(line), lineLimit)]
}

// lower changes ASCII letters alone: a message need not be text.
func lower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c | 0x20
		}
	}
	return string(out)
}
