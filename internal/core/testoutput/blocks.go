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
	re := regexp.MustCompile
	return []block{
		// pytest: === 1 failed, 2 passed in 0.12s ===, bare when it is to be quiet
		{begins: re(`^==.* (?:FAILURES|ERRORS|short test summary info) `), before: re(`^==.* warnings summary `), last: re(`^[= ]*\d+ (?:.* )?(?:failed|errors?)\b.* in [^ ]*\d`)},
		{begins: re(`^ *\d+ failing$`)},                      // mocha
		{begins: re(`^(?:✖ failing tests:|Failed tests:)$`)}, // node
		{begins: re(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): .* \(`), before: re(`^Ran `)},
		{begins: re(`^failures:$`), last: re(`^test result:`)}, // cargo
		{ // jest, vitest
			begins: re(`^  ● |^ *FAIL +(?:.* )?\S+` + script + `(?:` + timed + `| > .*| \[ .*)?$`), not: re(`^  ● Console$`),
			before: re(`^ *(?:PASS |Test Suites:|● Console)`), last: re(`^⎯⎯`),
		},
		{begins: re(`^ *not ok `), not: re(excused), before: re(`^ *(?:ok |not ok .*` + excused + `|1\.\.|# Subtest: |# tests )`), last: re(`^ *\.\.\.$`)}, // TAP
		{
			begins: re(`--- FAIL: (?:Test|Example|Fuzz|Benchmark)|^# \w\S*[^\s:](?: \[.*)?$|^(?:FAIL\t|fatal error: |WARNING: DATA RACE)|^(?:[^ ].*)?panic: `),
			before: re(`^(?:FAIL|PASS)$|^ *(?:ok  \t|\?   \t|--- PASS: |--- SKIP: |=== )`), last: re(`^FAIL\t`), outside: outsideGo,
		},
		{begins: re(`^\[ERROR\]`), before: re(`^\[(?:INFO|WARNING)\]`)}, // Maven
		{ // Gradle
			begins: re(`^\* What went wrong:$|^(?:[^ ].*)?> .* FAILED$`),
			before: re(`^(?:\* Try:|> Task |BUILD FAILED)| PASSED$`), last: re(`^> Task | tests completed, .* failed$`),
		},
		{begins: re(`^(?:error: |error\[|ERROR in )|: error: |: error TS|\): error |: fatal error: `), before: re(`^[# ]*$`), outside: outsideCompiler},
		{
			begins: re(`^(?:# )?(?:Traceback \(most recent call last\)|Uncaught |Exception in thread | Exception during run: |\S*(?:Error|Exception):(?: |$)|\S*Error \[|thread .* panicked at )`),
			before: re(`^[# ]*$`), outside: outsideException,
		},
		{begins: re(ofMake), last: re(ofMake)}, // FailuresOutsideTests looks for these two in every line
		{begins: re(bySignal), last: re(bySignal)},
		{begins: re(`^ *✖ .*` + timed + `(?: # .*)?$`), not: re(excused), before: re(`^ *[✔▶ℹ﹣] `)}, // node's tree, the last: see findFailures
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

var (
	goVerdicts = lazy.Pattern{Text: `^(?:--- |ok  \t|FAIL|PASS)`}
	goNoise    = lazy.Pattern{Text: `^ *(?:=== |--- PASS: |--- SKIP: )`}
)

// keepVerbose keeps what go test -v prints of a failing test, which stands before the
// verdict.
func keepVerbose(output []string, keep []bool) {
	since, ran := 0, false // the line after the last verdict; a test began since
	for i, l := range output {
		if l == repeated {
			return
		}
		ran = ran || strings.HasPrefix(l, "=== ")
		if !goVerdicts.Get().MatchString(l) {
			continue
		}
		for k := since; k < i && ran && strings.HasPrefix(l, "--- FAIL: "); k++ {
			keep[k] = keep[k] || !goNoise.Get().MatchString(output[k])
		}
		since, ran = i+1, false
	}
}
