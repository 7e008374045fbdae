package redfirst

import (
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// Outcome is what one or several runs of a check came to.
type Outcome string

const (
	Green  Outcome = "green"
	Red    Outcome = "red"    // it failed, by an assertion or an exit code of its own
	Broken Outcome = "broken" // it did not run
	Wavers Outcome = "wavers" // its runs differ
)

// Exit codes of a shell about a command that did not run.
const (
	notExecutable = 126
	notFound      = 127
)

// unrun are lines about a check that did not get as far as an assertion. A missing name is one: on a
// stub, which has the contract's names, it says that the check and the stub do not fit together.
var unrun = lazy.Pattern{Text: `(?m)` +
	`\[(?:build|setup) failed\]|no required module provides|cannot find (?:package|module)` + // Go
	`|^(?:E +)?(?:ModuleNotFoundError|ImportError|SyntaxError|IndentationError|NameError|AttributeError)\b|^ERROR collecting|no tests ran|^Ran 0 tests|has no attribute '` + // Python
	`|\bERR_(?:MODULE_NOT_FOUND|REQUIRE_ESM|UNKNOWN_FILE_EXTENSION)\b|Cannot find module|\bSyntaxError: |\bReferenceError: |TypeError: .* is not a (?:function|constructor)` + // Node
	`|^(?:sh|bash|dash)(?:: (?:line )?\d+)?: .*(?:not found|No such file)|: not found$|Syntax error: ` +
	`|^error(?:\[E\d+\])?: (?:could not compile|cannot find)|Could not find or load main class`}

// Judge returns what a run came to.
func Judge(passed, timedOut bool, exit int, output string) Outcome {
	switch {
	case passed:
		return Green
	case timedOut || exit == notExecutable || exit == notFound || unrun.Get().MatchString(output):
		return Broken
	}
	return Red
}

// All returns what the runs of a check came to together.
func All(runs []Outcome) Outcome {
	for _, o := range runs {
		if o != runs[0] {
			return Wavers
		}
	}
	if len(runs) == 0 {
		return Broken
	}
	return runs[0]
}

// firstExample is how the messages of a check begin that are about the contract's example.
const firstExample = "example 1:"

const maxFailure = 200

// Failure returns what a failing check says of the contract's example, in one line; "" if it says
// nothing. The rest of its output would tell the coder what is in no contract, and so would a line
// with a value of another example: code that is tested can print what it reads.
func Failure(output, name string, c Criterion) string {
	for line := range strings.Lines(output) {
		at := strings.Index(line, firstExample)
		if at < 0 {
			continue
		}
		said, _, _ := strings.Cut(line[at:], "example 2:")
		if c.Gives(said, name) {
			continue // a line of its source, or made from it
		}
		return clip(said, maxFailure)
	}
	return ""
}

// Gives reports whether words give away a check: its name, or a value of an example that is in no
// contract.
func (c Criterion) Gives(words, name string) bool {
	return strings.Contains(words, name) || slices.ContainsFunc(c.hidden(), func(value string) bool { return strings.Contains(words, value) })
}

var literals = lazy.Pattern{Text: "\"[^\"\\n]{2,}\"|'[^'\\n]{2,}'|`[^`\\n]{2,}`|\\b[0-9][0-9_.]{2,}\\b"}

// hidden returns the values in a check that neither its contract nor a message of its first example
// has.
func (c Criterion) hidden() (values []string) {
	shown, lines := c.Contract, []string{}
	for _, f := range c.Files {
		for line := range strings.Lines(f.Content) {
			if strings.Contains(line, firstExample) {
				shown += line
			} else {
				lines = append(lines, line)
			}
		}
	}
	for _, line := range lines {
		for _, value := range literals.Get().FindAllString(line, -1) {
			if value = strings.Trim(value, "\"'`"); !strings.Contains(shown, value) {
				values = append(values, value)
			}
		}
	}
	return values
}
