package testoutput

import (
	"regexp"
	"strings"

	"warp/internal/core/lazy"
)

// format is how a runner prints its tests for people, as regular expressions. Groups of
// these are known by their names: in (the indentation), mark, test, title, place,
// program, crate, build, directive, number, open.
type format struct {
	// The lines between which its tests stand. Without from, or with initially, they
	// are read from the start.
	from, until *regexp.Regexp
	initially   bool

	// hints, divided by |, stand in every line that matters, but for those of tests where
	// there is a from: looking for them is much cheaper than matching. "": all lines do.
	hints string

	opens   *regexp.Regexp   // what holds the tests below it
	begins  *regexp.Regexp   // a test whose result follows, on the line or later
	result  *regexp.Regexp   // that result
	tests   []*regexp.Regexp // a test with its result
	place   *regexp.Regexp   // a file or program, with or without its result
	summary *regexp.Regexp   // the lines before it were its own
	fails   *regexp.Regexp   // a failing test of the place
	cut     *regexp.Regexp   // the place ended before its tests did

	marks map[string]Result
	width int    // blanks of one level
	join  string // between a place and its tests; "": names are complete
	drop  *regexp.Regexp
	name  func(string) string

	holds     bool // without a summary these are no tests: others print such lines, too
	continues bool // the summary is a beginning: what follows needs no other
	repeats   bool // it names a test twice in a session
	listed    bool // what failed is told by a list of failures, or by fails
	list      bool // it is such a list, and names no other test
}

func (f *format) clean(title string) string {
	if f.drop != nil {
		title = f.drop.ReplaceAllString(title, "")
	}
	if f.name != nil {
		title = f.name(title)
	}
	return strings.TrimSpace(title)
}

// Parts of the patterns.
const (
	timed  = `(?: \(` + duration + `\))`
	script = `\.(?:[cm]?[jt]sx?|vue|svelte)`
	// A parameter may hold the " - " that stands before a message, and a line may be cut
	// inside of one.
	pytestTest = `[^\s:]+\.py::[^\[]+?(?:\[.*?\]|\[[^\]]*)?`
	pytestMark = `(?P<mark>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)`
	worker     = `^(?:\[gw\d+\] .*%\] )?`
)

func marks(pairs ...string) map[string]Result {
	m := map[string]Result{}
	for i, list := range pairs {
		for mark := range strings.SplitSeq(list, "|") {
			m[mark] = Result(i)
		}
	}
	return m
}

// formats are compiled at their first use.
var formats = lazy.Value[[]*format]{Make: func() []*format {
	re := regexp.MustCompile
	cargo := marks("ok", "FAILED", "ignored")
	cargoProgram := re(`^ *(?:Running (?:unittests )?(?P<place>\S+) \((?:.*[/\\])?(?P<program>[^/\\]+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)|Doc-tests (?P<crate>\S+))$`)
	return []*format{
		{ // TAP: node --test, bats, prove -v, tap
			hints:     `ok |# Subtest: | ---| ...|TAP version |1..| ..|Result: `,
			initially: true, until: re(`^ +---$`), from: re(`^ +\.\.\.$`), // the details of a failure
			opens:   re(`^(?P<in> *)# Subtest: (?P<title>.*)$`),
			tests:   []*regexp.Regexp{re(`^(?P<in> *)(?P<mark>ok|not ok) (?P<number>\d+)(?: -)?(?: (?P<test>.*?))??(?: in \d+m?s)?(?P<open> \{)?(?: # (?P<directive>.*))?$`)},
			place:   re(`^(?:(?P<place>\S+) \.\.+ *(?P<mark>ok|skipped)?(?:: .*)?|Result: .*)$`), // of prove
			summary: re(`^(?:TAP version |1\.\.\d+(?: |$))`),
			marks:   marks("ok", "not ok", "skipped"), width: 4, join: " > ", holds: true, continues: true,
			name: func(title string) string { return strings.ReplaceAll(strings.ReplaceAll(title, `\#`, "#"), `\\`, `\`) },
		},
		{ // prove's list of files that failed
			hints: `(Wstat: `,
			place: re(`^(?P<place>\S+) (?P<mark>\(Wstat: )`), marks: map[string]Result{"(Wstat: ": Failed},
		},
		{ // node --test for people: a tree, a summary, then those that failed once more
			hints:     `✔|✖|▶|﹣|ℹ tests |> `,
			initially: true, until: re(`^ *✖ failing tests:$`), from: re(`^ *[✔▶] |^> `),
			opens:   re(`^(?P<in> *)▶ (?P<title>.*?)` + timed + `?$`),
			tests:   []*regexp.Regexp{re(`^(?P<in> *)(?P<mark>[✔✖﹣]) (?P<test>.*)` + timed + `(?: # (?P<directive>.*))?$`)},
			summary: re(`^ℹ tests `), marks: marks("✔", "✖", "﹣"), width: 2, holds: true,
		},
		{ // mocha: a tree, known by the count of those that passed below it
			initially: true, until: re(`^ +\d+ passing` + timed + `$`), from: re(`^\S`),
			opens:   re(`^(?P<in> {2,})(?P<title>\S.*)$`),
			tests:   []*regexp.Regexp{re(`^(?P<in> {2,})(?:(?P<mark>[✔✓√-])|\d+\)) (?P<test>.+?)` + timed + `?$`)},
			summary: re(`^ +\d+ passing` + timed + `$`), marks: marks("✔|✓|√", "", "-"), width: 2, holds: true, listed: true,
		},
		{ // jest names tests with --verbose, or where there is one file only; else the files
			hints: `PASS |FAIL |●|Test Suites: `,
			from:  re(`^(?:PASS|FAIL) .*` + script + timed + `?$`), until: re(`^ ?\S|^ ?$|^ *●`),
			opens:   re(`^(?P<in> {2,})(?P<title>\S.*)$`),
			tests:   []*regexp.Regexp{re(`^(?P<in> {2,})(?P<mark>[✓√✕×]|○ skipped|✎ todo)(?: (?P<test>.*?))?` + timed + `?$`)},
			place:   re(`^(?P<mark>PASS|FAIL) (?P<place>(?:.* )?\S+` + script + `)` + timed + `?$`),
			fails:   re(`^  ● (?P<test>.+)$`),
			summary: re(`^Test Suites: `),
			marks:   marks("✓|√|PASS", "✕|×|FAIL", "○ skipped|✎ todo"), width: 2, join: " > ", listed: true,
		},
		{ // vitest: the verbose reporter writes each test with its file, the default one the files
			hints: ` RUN  v| DEV  v| Test Files `,
			from:  re(`^ (?:RUN|DEV)  v`), until: re(`^ Test Files `),
			tests:   []*regexp.Regexp{re(`^ (?P<mark>[✓✔√×✗❯↓□]) +(?P<test>[^>]*` + script + ` > .*?)(?: \[(?:skipped|todo)\])?(?: \(retry x\d+\))?(?: ` + duration + `)?$`)},
			place:   re(`^ (?P<mark>[✓✔√×✗❯↓□]) +(?P<place>.*?` + script + `) \(\d+ tests?[^)]*\)(?: ` + duration + `)?$`),
			summary: re(`^ Test Files `), marks: marks("✓|✔|√", "×|✗|❯", "↓|□"), listed: true,
		},
		{ // cargo test: one program after the other
			hints: `running |Running |Doc-tests |test result: |process didn't exit`,
			from:  re(`^running \d+ tests?$`), until: re(`^test result: `), place: cargoProgram,
			begins: re(`^test (?P<test>.+?) \.\.\. `), result: re(`^(?P<mark>ok|FAILED|ignored)(?:,.*)?$`),
			summary: re(`^test result: (?P<mark>ok|FAILED)`),
			cut:     re(`^ *process didn't exit successfully: .*\((?:signal: .*|exit code: .*|exit status: (?:\d\d?|10[02-9]|1[1-9]\d|[2-9]\d\d))\)$`),
			marks:   cargo, join: " ", drop: re(` \(line \d+\)`), // of a documentation test; it moves
		},
		{ // cargo test -q
			hints: `failures:|Running |Doc-tests `,
			from:  re(`^failures:$`), until: re(`^\S|^$`), place: cargoProgram,
			tests: []*regexp.Regexp{re(`^    (?P<test>\S.*)$`)}, marks: cargo, join: " ", drop: re(` \(line \d+\)`), list: true,
		},
		{ // pytest -v, and the summary of -rA
			hints: `.py|test session starts`,
			tests: []*regexp.Regexp{
				re(worker + pytestMark + ` (?P<test>` + pytestTest + `)(?: - .*)? *$`),
				re(`^(?P<test>` + pytestTest + `) ` + pytestMark + `(?: \(.*\))?(?: +\[ *\d+%\])? *$`),
			},
			place:   re(`^(?P<mark>FAILED|ERROR) (?P<place>[^\s:]+\.py)(?: - .*)?$`), // it could not be imported
			summary: re(`^====.* test session starts `), continues: true, repeats: true,
			marks: marks("PASSED|XPASS", "FAILED|ERROR", "SKIPPED|XFAIL"),
		},
		{ // python3 -m unittest -v, known by its last lines
			hints:   ` (|Ran `,
			begins:  re(`^(?P<test>[^\s(]+ \([^\s()]+\.[^\s()]+\))(?: \.\.\. |$)`),
			result:  re(`^(?:.* \.\.\. )?(?P<mark>ok|FAIL|ERROR|skipped|expected failure|unexpected success)(?: '.*'| ".*")? *$`),
			summary: re(`^Ran \d+ tests? in `), name: unittestName, holds: true, listed: true,
			marks: marks("ok|expected failure", "FAIL|ERROR|unexpected success", "skipped"),
		},
		{ // unittest's failures, each below a ruler
			from: re(`^={60,}$`), until: re(`^[^=FEU]`),
			tests: []*regexp.Regexp{re(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?P<test>.+)$`)}, name: unittestName, list: true,
		},
		{ // runners of which no test is read but those that fail
			hints: `FAIL|ailed |<<< |rspec |::|could not compile`,
			tests: []*regexp.Regexp{
				re(`^ *FAIL  (?P<test>.*` + script + ` > .+)$`),              // vitest
				re(`^ *FAIL  (?P<test>.*` + script + `) \[ .*$`),             // a file of vitest's
				re("^error: could not compile `(?P<build>[^`]+)`"),           // cargo
				re(`^rspec (?:\S+:\d+|'[^']+') # (?P<test>.+)$`),             // RSpec
				re(`^\d+\) (?P<test>\w[\w\\]*::\w+(?: with data set .+)?)$`), // PHPUnit
				re(`^  Failed (?P<test>\S.*?) \[` + duration + `\]$`),        // dotnet test
				// Maven, where a goal also fails because "There are test failures", and Gradle.
				re(`^(?:\[ERROR\] )?(?P<test>\S.*?) +(?:--? +)?Time elapsed:.*<<< (?:FAILURE|ERROR)!`),
				re(`Failed to execute goal .* on project (?P<build>[^:\n]+): (?:[^T]|T[^h])`),
				re(`^(?P<test>[^ >\n].* > .+) FAILED$`),
				re(`^> Task (?P<build>\S*:(?:compile|kapt)[^:\s]*) FAILED$`),
			},
			name: surefireName, list: true,
		},
	}
}}

var oldSurefire = lazy.Pattern{Text: `^([^\s.(]+)\(([^\s(),]+)\)$`}

// surefireName writes a method before its class, as old releases have it, behind it.
func surefireName(name string) string {
	if strings.HasPrefix(name, "Tests run:") {
		return ""
	}
	return oldSurefire.Get().ReplaceAllString(name, "$2.$1")
}

// unittestName is the full name in "test_ok (tests.test_a.A.test_ok)". Up to Python 3.10
// the parentheses hold no more than the class.
func unittestName(text string) string {
	method, rest, ok := strings.Cut(text, " (")
	class, parameters, closed := strings.Cut(rest, ")")
	if !ok || !closed {
		return text
	}
	if !strings.HasSuffix(class, "."+method) {
		class += "." + method
	}
	return strings.TrimPrefix(class, "unittest.loader._FailedTest.") + parameters // a module that could not be imported
}
