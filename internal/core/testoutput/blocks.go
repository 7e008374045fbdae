package testoutput

import (
	"regexp"
	"strings"

	"warp/internal/core/lazy"
)

// block is one way in which a runner or a compiler tells of a failure, as regular
// expressions of lines.
type block struct {
	begins, not *regexp.Regexp
	before      *regexp.Regexp                      // ends it, and is no part of it
	last        *regexp.Regexp                      // ends it
	outside     func(lines, rest []string) []string // what it tells of a failure that is no test's; nil: nothing
}

// blocks, the widest first: while one is open, only itself and those before it begin
// another.
var blocks = lazy.Value[[]block]{Make: func() []block {
	re := func(pattern string) *regexp.Regexp {
		if pattern == "" {
			return nil
		}
		return regexp.MustCompile(pattern)
	}
	told := func(begins, not, before, last string, outside func(lines, rest []string) []string) block {
		return block{re(begins), re(not), re(before), re(last), outside}
	}
	return []block{
		// pytest: === 1 failed, 2 passed in 0.12s ===, bare when it is to be quiet
		told(`^==.* (?:FAILURES|ERRORS|short test summary info) `, ``, `^==.* warnings summary `, `^[= ]*\d+ (?:.* )?(?:failed|errors?)\b.* in [^ ]*\d`, nil),
		told(`^ *\d+ failing$`, ``, ``, ``, nil),                      // mocha
		told(`^(?:✖ failing tests:|Failed tests:)$`, ``, ``, ``, nil), // node
		told(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): .* \(`, ``, `^Ran `, ``, nil),
		told(`^failures:$`, ``, ``, `^test result:`, nil), // cargo
		told(`^  ● |^ *FAIL +(?:.* )?\S+`+script+`(?:`+timed+`| > .*| \[ .*)?$`, `^  ● Console$`, `^ *(?:PASS |Test Suites:|● Console)`, `^⎯⎯`, nil), // jest, vitest
		told(`^ *not ok `, excused, `^ *(?:ok |not ok .*`+excused+`|1\.\.|# Subtest: |# tests )`, `^ *\.\.\.$`, nil),                                 // TAP
		told(`--- FAIL: (?:Test|Example|Fuzz|Benchmark)|^# \w\S*[^\s:](?: \[.*)?$|^(?:FAIL\t|fatal error: |WARNING: DATA RACE)|^(?:[^ ].*)?panic: `, ``,
			`^(?:FAIL|PASS)$|^ *(?:ok  \t|\?   \t|--- PASS: |--- SKIP: |=== )`, `^FAIL\t`, outsideGo),
		told(`^\[ERROR\]`, ``, `^\[(?:INFO|WARNING)\]`, ``, nil), // Maven
		told(`^\* What went wrong:$|^(?:[^ ].*)?> .* FAILED$`, ``, `^(?:\* Try:|> Task |BUILD FAILED)| PASSED$`, `^> Task | tests completed, .* failed$`, nil), // Gradle
		told(`^(?:error: |error\[|ERROR in )|: error: |: error TS|\): error |: fatal error: `, ``, `^[# ]*$`, ``, outsideCompiler),
		told(`^(?:# )?(?:Traceback \(most recent call last\)|Uncaught |Exception in thread | Exception during run: |\S*(?:Error|Exception):(?: |$)|\S*Error \[|thread .* panicked at )`,
			``, `^[# ]*$`, ``, outsideException),
		told(ofMake, ``, ``, ofMake, nil), // FailuresOutsideTests looks for these two in every line
		told(bySignal, ``, ``, bySignal, nil),
		told(`^ *✖ .*`+timed+`(?: # .*)?$`, excused, `^ *[✔▶ℹ﹣] `, ``, nil), // node's tree, the last: see findFailures
	}
}}

const (
	excused = ` # (?i:todo|skip)` // a test that may fail, or did not run
	ofMake  = `^make.*: \*\*\* `
	// bySignal is a program that a signal has ended. A shell puts its script, the line
	// and the process before it; "Killed by …" is a sentence.
	bySignal = `^(?:.*:)?[\s\d]*((?:[Ss]egmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted|Killed|Trace/breakpoint trap)(?:  .*| \(core dumped\).*)?)$`
)

func matches(pattern *regexp.Regexp, line string) bool {
	return pattern != nil && pattern.MatchString(line)
}

// failure is the lines of one that a block has found.
type failure struct {
	span
	block *block
}

// findFailures finds the blocks of an output.
func findFailures(output []string) (list []failure) {
	kinds := blocks.Get()
	for _, l := range output {
		if l == "✖ failing tests:" || l == "Failed tests:" { // the tree of node's tests is repeated
			kinds = kinds[:len(blocks.Get())-1]
		}
	}
	open := len(kinds)
	for i, l := range output {
		if l == repeated {
			break
		}
		first := false
		for k := range kinds[:min(open+1, len(kinds))] {
			if b := &kinds[k]; b.begins.MatchString(l) && !matches(b.not, l) {
				open, first = k, true
				list = append(list, failure{span{i, i}, b})
				break
			}
		}
		if open == len(kinds) {
			continue
		}
		if !first && matches(kinds[open].before, l) {
			open = len(kinds)
			continue
		}
		list[len(list)-1].to = i + 1
		if matches(kinds[open].last, l) {
			open = len(kinds)
		}
	}
	return list
}

// repeated begins what Jest has shown before.
const repeated = "Summary of all failing tests"

// failingLines marks the lines that tell of failures, and those where one begins.
func failingLines(output []string) (keep, starts []bool) {
	keep, starts = make([]bool, len(output)), make([]bool, len(output))
	keepVerbose(output, keep)
	for _, f := range findFailures(output) {
		for i := f.from; i < f.to; i++ {
			keep[i], starts[i] = true, i == f.from || listItem.Get().MatchString(output[i])
		}
	}
	return keep, starts
}

// listItem is where one of the failures of a list begins: in Mocha, node, pytest, cargo.
var listItem = lazy.Pattern{Text: `^(?:✖ |____|---- |  \d+\) )`}

// keepVerbose keeps what go test -v prints of a failing test, which stands before the
// verdict.
func keepVerbose(output []string, keep []bool) {
	since, ran := 0, false // the line after the last verdict; a test began since
	for i, l := range output {
		if l == repeated {
			return
		}
		ran = ran || strings.HasPrefix(l, "=== ")
		if !startsWith(l, "--- ", "ok  \t", "FAIL", "PASS") {
			continue
		}
		for k := since; k < i && ran && strings.HasPrefix(l, "--- FAIL: "); k++ {
			keep[k] = keep[k] || !startsWith(strings.TrimLeft(output[k], " "), "=== ", "--- PASS: ", "--- SKIP: ")
		}
		since, ran = i+1, false
	}
}

func startsWith(text string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}
