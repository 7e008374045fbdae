package errorclass

import (
	"strings"

	"warp/internal/core/lexicon"
)

// stopped tells a call that somebody stopped on purpose: a person, a guard, or
// the agent, because a call beside it failed.
func stopped(lines []string) bool {
	for i, line := range lines {
		if strings.HasPrefix(line, "[warp-drive]") { // a guard inside git speaks below the exit code
			return true
		}
		if i > 0 {
			continue
		}
		for _, words := range [...]string{
			"pretooluse:", "the user doesn't want to", "request interrupted by user", "interrupted by user",
			"tool use was rejected", "user rejected", "cancelled: parallel tool call", "sibling tool call errored",
		} {
			if strings.Contains(line, words) {
				return true
			}
		}
	}
	return false
}

// What runners of tests and linters begin their last lines with.
var verdicts = [...]string{
	"--- fail", "fail\t", "fail ", "failed (", "failed!", "failures:", "test result: failed", "tests:", "test suites:", "test files ",
	"not ok ", "# fail ", "assertionerror", "error: test failed", "[error] tests run:", "npm err! test failed", "npm error test failed",
}

// What runners of tests and linters count.
var tallied = lexicon.Set{List: "failed passed failing passing failure failures examples assertions problem problems tests"}

// verdict tells an output in which a test, a linter or a compiler says what it
// found. The command worked; what it found is the agent's work.
func verdict(lines []string) bool {
	for _, line := range lines {
		if line == "fail" || strings.Contains(line, "failing tests") {
			return true
		}
		for _, v := range verdicts {
			if strings.HasPrefix(line, v) {
				return true
			}
		}
		if tallies(line) {
			return true
		}
	}
	return false
}

// tallies tells a line that counts: "1 failed, 3 passed in 0.12s". A colon after
// the word begins a reason, as in "step 3 failed: no route to host".
func tallies(line string) bool {
	found := strings.HasPrefix(line, "found ") || strings.HasSuffix(line, " generated.") // by linters and compilers
	number := false
	for word := range strings.FieldsSeq(line) {
		name := strings.TrimRight(word, ",;|.)")
		if number && (tallied.Has(name) || found && strings.HasPrefix(name, "error")) {
			return true
		}
		number = digits(strings.TrimLeft(word, "(|"))
	}
	return false
}

func digits(s string) bool {
	for i := range len(s) {
		if !lexicon.IsDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// searchers go on when they may not read one file of many.
var searchers = [...]string{"grep: ", "rg: ", "find: ", "du: ", "tree: "}

// remark tells a line that a search makes in passing.
func remark(line string) bool {
	for _, s := range searchers {
		if strings.HasPrefix(line, s) {
			return true
		}
	}
	return false
}

// cites tells a line that is about a place in a file: "src/a.go:12: …". It is
// either a match of a search or a compiler's complaint. An address is no file.
func cites(line string) bool {
	at := strings.IndexByte(line, ':')
	if at <= 0 || lexicon.IsDigit(line[0]) || strings.ContainsAny(line[:at], " \t") {
		return false
	}
	end := at + 1
	for end < len(line) && lexicon.IsDigit(line[end]) {
		end++
	}
	return end > at+1 && end < len(line) && (line[end] == ':' || line[end] == '-') && strings.IndexByte(line[:at], '.') >= 0
}
