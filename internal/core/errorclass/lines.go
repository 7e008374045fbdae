package errorclass

import (
	"slices"
	"strings"
)

// These functions classify lines without regular expressions, because the hook is linked without
// them.

// stops are printed by the agent if a person, a guard or the agent itself stopped the call on
// purpose.
var stops = [...]string{"pretooluse:", "the user doesn't want to", "interrupted by user", "tool use was rejected", "user rejected",
	"cancelled: parallel tool call", "sibling tool call errored"}

func isStopped(line string) bool {
	return slices.ContainsFunc(stops[:], func(s string) bool { return strings.Contains(line, s) })
}

// isGuarded reports whether a guard inside git printed the line; it comes after the exit code.
func isGuarded(line string) bool { return strings.HasPrefix(line, "[warp-drive]") }

var (
	// verdicts begin a test runner's results. A colon after "failed" begins a reason, as in "step 3
	// failed: no route to host".
	verdicts = []string{"--- fail", "fail\t", "fail ", "failed (", "failed!", "failures:", "test result: failed", "tests:", "test suites:",
		"test files ", "not ok ", "# fail ", "assertionerror", "error: test failed", "[error] tests run:", "npm err! test failed", "npm error test failed"}
	// counted follow a number: "1 failed, 3 passed in 0.12s".
	counted = []string{"failed", "passed", "failing", "passing", "failure", "failures", "examples", "assertions", "problem", "problems", "tests"}
	// remarks come from programs that continue when they may not read one file of many.
	remarks = []string{"grep: ", "rg: ", "find: ", "du: ", "tree: "}
)

func hasPrefix(line string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(line, p) })
}

// isVerdict reports whether a test runner, a linter or a compiler reports or counts findings on the
// line.
func isVerdict(line string) bool {
	if line == "fail" || hasPrefix(line, verdicts) || strings.Contains(line, "failing tests") {
		return true
	}
	found, generated := strings.HasPrefix(line, "found "), strings.HasSuffix(line, "generated.")
	words := strings.Fields(line)
	for i := 1; i < len(words); i++ {
		number := words[i-1][strings.LastIndexAny(words[i-1], "(|")+1:]
		if !isNumber(number) {
			continue
		}
		alone, word := number == words[i-1], words[i]
		isErrors := word == "error" || word == "errors"
		if slices.Contains(counted, strings.TrimRight(word, ",;|.)")) || alone && found && strings.HasPrefix(word, "error") ||
			alone && generated && isErrors && i+1 < len(words) {
			return true
		}
	}
	return false
}

// citesFile reports whether a line cites a position in a file, "src/a.go:12: …": a match of a
// search, or a compiler's complaint. An address is no file.
func citesFile(line string) bool {
	file, rest, found := strings.Cut(line, ":")
	number := rest[:countDigits(rest)]
	rest = rest[len(number):]
	return found && strings.Contains(file, ".") && !isDigit(file[0]) && !strings.ContainsAny(file, " \t\r\f\n") &&
		number != "" && rest != "" && (rest[0] == ':' || rest[0] == '-')
}

var shellNames = []string{"bash", "sh", "zsh", "dash", "eval", "zsh:1"}

// isShellCall reports whether a shell complains about its command line, rather than a script.
func isShellCall(line string) bool {
	return !strings.Contains(line, ".sh:") && slices.ContainsFunc(shellNames, func(name string) bool {
		return strings.HasPrefix(line, name+": ") || strings.Contains(line, "/"+name+": ")
	})
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNumber(s string) bool { return s != "" && countDigits(s) == len(s) }

// countDigits returns how many digits a text begins with.
func countDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}
