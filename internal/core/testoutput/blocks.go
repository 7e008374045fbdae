package testoutput

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// block describes, as patterns of lines, one way in which a runner or a compiler reports a failure.
type block struct {
	begins, not *regexp.Regexp
	before      *regexp.Regexp // ends it, and is not part of it
	last        *regexp.Regexp // ends it
	outside     *regexp.Regexp // lines, or groups in them, that report a failure outside of tests; nil: none
	alone       bool           // a single line, also inside another block
	maybe       bool           // counts only if another block begins directly after it
}

// blocks, the widest first: while one is open, only itself and earlier ones can begin.
var blocks = lazy.Value[[]block]{Make: func() []block {
	re := regexp.MustCompile
	goEnds := re(`^(?:FAIL|PASS)$|^ *(?:ok  \t|\?   \t|--- PASS: |--- SKIP: |=== )|^make.*: \*\*\* `)
	loud := re(`^(make.*: \*\*\* \[?)(?:[^\]]*?:\d+: )?(.*)$|` +
		`^(?:.*:)?[\s\d]*((?:[Ss]egmentation fault|Bus error|Illegal instruction|Floating point exception|Aborted|Killed|Trace/breakpoint trap)(?:  .*| \(core dumped\).*)?)$`)
	compiler := re(`^(?:error: |error\[|ERROR in )|: error: |: error TS|\): error |: fatal error: `)
	return []block{
		// A make target, without the position of its rule, and a program that a signal ended, after
		// a shell's prefix; "Killed by …" is a sentence. They count anywhere.
		{begins: loud, outside: loud, alone: true},
		// pytest: === 1 failed, 2 passed in 0.12s ===, bare when it is to be quiet
		{begins: re(`^==.* (?:FAILURES|ERRORS|short test summary info) `), before: re(`^==.* warnings summary `), last: re(`^[= ]*\d+ (?:.* )?(?:failed|errors?)\b.* in [^ ]*\d`)},
		{begins: re(`^ *\d+ failing$`)}, // mocha
		{begins: re(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): .* \(`), before: re(`^Ran `)},
		{begins: re(`^failures:$`), last: re(`^test result:`)}, // cargo
		{ // jest, vitest
			begins: re(`^  ● |^ *FAIL +(?:.* )?\S+` + script + `(?:` + timed + `| > .*| \[ .*)?$`), not: re(`^  ● Console$`),
			before: re(`^ *(?:PASS |Test Suites:|Summary of all failing|● Console)`), last: re(`^⎯⎯`),
		},
		{begins: re(`^ *not ok `), not: re(excused), before: re(`^ *(?:ok |not ok .*` + excused + `|1\.\.|# Subtest: |# tests )`), last: re(`^ *\.\.\.$`)}, // TAP
		{ // go
			begins: re(`--- FAIL: (?:Test|Example|Fuzz|Benchmark)|^(?:FAIL\t|fatal error: |WARNING: DATA RACE)|^(?:[^ ].*)?panic: `),
			before: goEnds, last: re(`^FAIL\t`), outside: re(`^(?:fatal error: |(?:[^ -].*)?panic: )`),
		},
		{begins: re(`^# \w[^\s:]*(?: \[.*)?$`), before: goEnds, outside: re(`^[^#\s]`)}, // what go says of a package that it cannot build
		{begins: re(`^=== `), before: re(`^(?:--- |ok  \t|FAIL$|PASS$)`), maybe: true},  // what go test -v says of a test before its verdict
		{begins: re(`^\[ERROR\]`), before: re(`^\[(?:INFO|WARNING)\]`)},                 // Maven
		{ // Gradle
			begins: re(`^\* What went wrong:$|^(?:[^ ].*)?> .* FAILED$`),
			before: re(`^(?:\* Try:|> Task |BUILD FAILED)| PASSED$`), last: re(`^> Task | tests completed, .* failed$`),
		},
		{begins: compiler, not: re(`^error: .*(?:test failed, | targets? failed:)`), before: re(`^[# ]*$`), outside: compiler}, // not: cargo's sum of its tests
		{
			begins: re(`^(?:# )?(?:Traceback \(most recent call last\)|Uncaught |Exception in thread | Exception during run: |\S*(?:Error|Exception):(?: |$)|\S*Error \[|thread .* panicked at )`),
			before: re(`^[# ]*$`), outside: re(`^(?:# )?(?:Uncaught |Exception in | Exception during |\S+(?::$|: | \[)|thread .* panicked at )`), // Python's message stands below its trace
		},
		{begins: re(`^ *✖ .*` + timed + `$`), before: re(`^ *(?:[✔▶ℹ﹣] |✖ .*` + excused + `|✖ failing tests:)|^test at `)}, // node; the last, since programs print between its tests
	}
}}

const excused = ` # (?i:todo|skip)` // a test that may fail, or did not run

// failure is the lines of one failure.
type failure struct {
	span
	block *block
}

func findFailures(output []string) (list []failure) {
	kinds := blocks.Get()
	open, at := len(kinds), 0
	for i, l := range output {
		k := slices.IndexFunc(kinds[:min(open+1, len(kinds))], func(b block) bool { return b.begins.MatchString(l) && !matches(b.not, l) })
		if k >= 0 && k == open && kinds[k].maybe {
			k = -1
		}
		if k >= 0 {
			list = append(list, failure{span{i, i + 1}, &kinds[k]})
		}
		switch {
		case k >= 0 && !kinds[k].alone:
			open, at = k, len(list)-1
		case open < len(kinds) && matches(kinds[open].before, l):
			open = len(kinds)
		case open < len(kinds):
			list[at].to = i + 1
		}
		if open < len(kinds) && matches(kinds[open].last, l) {
			open = len(kinds)
		}
	}
	sure := list[:0]
	for i, f := range list {
		if !f.block.maybe || i+1 < len(list) && list[i+1].from == f.to {
			sure = append(sure, f)
		}
	}
	return sure
}

// FailuresOutsideTests lists a run's failures outside of tests, sorted and normalised: crashed
// programs, make targets, compiler errors, exceptions that no test caught. It excludes what made a
// Go package's tests fail, which has a name. It lists at most 500.
func FailuresOutsideTests(output string) (list []string) {
	lines := strings.Split(plain(output), "\n")
	for _, f := range findFailures(lines) {
		if f.block.outside == nil || f.to < len(lines) && strings.HasPrefix(lines[f.to], "FAIL\t") {
			continue
		}
		for _, l := range lines[f.from:f.to] {
			if m := f.block.outside.FindStringSubmatch(l); m != nil {
				list = append(list, tidy(Normalise(cmp.Or(strings.Join(m[1:], ""), l))))
			}
		}
	}
	return listNames(list)
}

var (
	// listItem begins one failure of a list: in Mocha, node, pytest, cargo.
	listItem = lazy.Pattern{Text: `^(?:✖ |____|---- |  \d+\) )`}
	// goNoise is what go test -v prints about tests whatever their result.
	goNoise = lazy.Pattern{Text: `^ *(?:=== |--- PASS: |--- SKIP: )`}
)

// findSpans lists the lines of failures, each separately and once: jest and node repeat theirs.
func findSpans(output []string) (list []span) {
	keep, starts := make([]bool, len(output)), make([]bool, len(output))
	told := map[string]bool{}
	for _, f := range findFailures(output) {
		text := tidy(strings.Join(output[f.from:f.to], " "))
		for i := f.from; i < f.to && !told[text]; i++ {
			keep[i] = !(f.block.maybe && goNoise.Get().MatchString(output[i]))
			starts[i] = i == f.from || listItem.Get().MatchString(output[i])
		}
		told[text] = true
	}
	for i, k := range keep {
		if k && (i == 0 || !keep[i-1] || starts[i]) {
			list = append(list, span{i, i + 1})
		} else if k {
			list[len(list)-1].to++
		}
	}
	return list
}
