package testoutput

import (
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// runner describes, as patterns of lines, how a test runner prints its tests for people. The named
// groups have a meaning: mark is the result; test, class, rest, number and build make the title
// (see titleOf); in is the indentation; opens and open contain what is indented below; place,
// program and crate contain the tests; none means there are none; directive is TAP's.
type runner struct {
	hints []string // every relevant line has one: searching for them is cheaper than matching

	// The lines between which its tests are printed. Without from, or with initially, they are read
	// from the start.
	from, until *regexp.Regexp
	initially   bool

	begins  *regexp.Regexp   // a test whose result follows, on the line or later
	more    *regexp.Regexp   // the next line of its title; without one it has failed
	result  *regexp.Regexp   // its result
	tests   []*regexp.Regexp // a test with its result; failed without a mark
	places  *regexp.Regexp   // a file or program, with or without its result
	through *regexp.Regexp   // all tests of a place ran: a failure without this was cut short
	summary *regexp.Regexp   // the lines before it belong to this runner and its place

	join string // between a place and its tests; "": names are complete
	name func(string) string

	parallel  bool // tests run in parallel, and none ends that did not begin
	holds     bool // without a summary these are not tests: other programs print such lines too
	continues bool // the summary comes first, and nothing after it needs another
	repeats   bool // it names a test twice in a session if something after the test fails
	listed    bool // a separate list names the failures
	list      bool // it is such a list, and names no other test
}

const (
	goTest = `(?P<test>(?:Test|Example|Fuzz|Benchmark)\S*) \(` + duration + `\)$`
	goEnd  = `^(?P<mark>ok  |FAIL)\t(?P<place>[^\s:]+)(?:\t.*?(?P<none>\[no tests to run\])?)?$`
	timed  = `(?: \(` + duration + `\))`
	script = `\.(?:[cm]?[jt]sx?|vue|svelte)`
	// A parameter may contain the " - " that precedes a message, and a line may be cut inside one.
	pytestTest   = `(?P<test>[^\s:]+\.py::[^\[]+?(?:\[.*?\]|\[[^\]]*)?)`
	pytestMark   = `(?P<mark>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)`
	suiteTitle   = `^(?P<in> {2,})(?P<opens>\S.*)$`
	jestFile     = ` (?P<place>(?:.* )?\S+` + script + `)` + timed + `?$`
	cargoProgram = `^ *(?:Running (?:unittests )?(?P<place>\S+) \((?:.*[/\\])?(?P<program>[^/\\]+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)|Doc-tests (?P<crate>\S+))$`
	docLine      = `(?: \(line \d+\)(?P<rest>.*?))?` // of a cargo documentation test; it moves
)

// marks are the results as runners print them.
var marks = [...]string{
	Passed:  "|PASS|pass|ok  |ok|✔|✓|√|PASSED|XPASS|expected failure|",
	Failed:  "|FAIL|fail|not ok|✖|✕|×|✗|❯|FAILED|ERROR|unexpected success|(Wstat: |",
	Skipped: "|SKIP|skip|skipped|﹣|-|○ skipped|✎ todo|↓|□|ignored|SKIPPED|XFAIL|",
}

func resultOf(mark string) (r Result, told bool) {
	i := slices.IndexFunc(marks[:], func(list string) bool { return mark != "" && strings.Contains(list, "|"+mark+"|") })
	return Result(i), i >= 0
}

// runners are compiled at their first use.
var runners = lazy.Value[[]*runner]{Make: func() []*runner {
	re := regexp.MustCompile
	all := func(patterns ...string) (list []*regexp.Regexp) {
		for _, p := range patterns {
			list = append(list, re(p))
		}
		return list
	}
	return []*runner{
		{ // go test -v, the first: readEvent uses it
			hints: []string{"=== RUN", "--- ", "\t"}, begins: re(`^=== RUN   (?P<test>\S+)`), parallel: true,
			tests:   all(`--- (?P<mark>PASS|FAIL|SKIP): ` + goTest), // behind what the test printed without a newline
			summary: re(goEnd), join: " ", listed: true,
		},
		{ // what fails in go test, also what was running when the time was up
			hints: []string{"--- FAIL", "FAIL", "\t"}, tests: all(`--- (?P<mark>FAIL): `+goTest, `^\t\t`+goTest),
			through: re(`^FAIL$`), summary: re(goEnd), join: " ", list: true,
		},
		{ // a package that go could not build
			hints: []string{"FAIL\t"}, places: re(`^(?P<mark>FAIL)\t(?P<place>[^\s:]+) \[.*\]$`),
			tests: all(`^(?P<mark>FAIL)\t[^\s:]+ (?P<test>\[.*\])$`), join: " ", list: true,
		},
		{ // TAP: node --test, bats, prove -v, tap
			hints:     []string{"ok ", "# Subtest: ", " ---", " ...", "TAP version ", "1..", " ..", "Result: "},
			initially: true, until: re(`^ +---$`), from: re(`^ +\.\.\.$`), // the details of a failure
			tests: all(`^(?P<in> *)(?P<mark>ok|not ok) (?P<number>\d+)(?: -)?(?: (?P<test>.*?))??(?: in \d+m?s)?(?P<open> \{)?(?: # (?P<directive>.*))?$`,
				`^(?P<in> *)# Subtest: (?P<opens>.*)$`),
			places:  re(`^(?:(?P<place>\S+) \.\.+ *(?P<mark>ok|skipped)?(?:: .*)?|Result: .*)$`), // of prove
			summary: re(`^(?:TAP version |1\.\.\d+(?: |$))`), join: " > ", holds: true, continues: true,
			name: strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace,
		},
		{places: re(`^(?P<place>\S+) (?P<mark>\(Wstat: )`)}, // prove's list of files that failed
		{ // node --test for people: a tree, a summary, then those that failed once more
			hints:     []string{"✔", "✖", "▶", "﹣", "ℹ tests ", "> "},
			initially: true, until: re(`^ *✖ failing tests:$`), from: re(`^ *[✔▶] |^> `),
			tests:   all(`^(?P<in> *)(?P<mark>[✔✖﹣]) (?P<test>.*)`+timed+`(?: # (?P<directive>.*))?$`, `^(?P<in> *)▶ (?P<opens>.*?)`+timed+`?$`),
			summary: re(`^ℹ tests `), holds: true,
		},
		{ // mocha: a tree, known by the count of those that passed below it
			initially: true, until: re(`^ +\d+ passing` + timed + `$`), from: re(`^\S`),
			tests:   all(`^(?P<in> {2,})(?:(?P<mark>[✔✓√-])|\d+\)) (?P<test>.+?)`+timed+`?$`, suiteTitle),
			summary: re(`^ +\d+ passing` + timed + `$`), holds: true, listed: true,
		},
		{ // mocha's failures, each title of one on its own line, further in than the one before
			from: re(`^  \d+ failing$`), begins: re(`^  \d+\) (?P<test>.+)$`), more: re(`^ {7,}(?P<test>\S.*)$`),
			list: true, name: func(titles string) string { return strings.TrimSuffix(titles, ":") },
		},
		{ // jest names tests with --verbose, or where there is one file only; else the files
			from: re(`^(?:PASS|FAIL) .*` + script + timed + `?$`), until: re(`^ ?\S|^ ?$|^ *●`),
			tests:  all(`^(?P<in> {2,})(?P<mark>[✓√✕×]|○ skipped|✎ todo)(?: (?P<test>.*?))?`+timed+`?$`, suiteTitle),
			places: re(`^(?P<mark>PASS|FAIL)` + jestFile), summary: re(`^Test Suites: `), join: " > ", listed: true,
		},
		{ // jest's failures
			from: re(`^FAIL` + jestFile), until: re(`^PASS` + jestFile + `|^Test Suites: `), places: re(`^FAIL` + jestFile),
			tests: all(`^  ● (?:Console|Test suite failed to run)$`, `^  ● (?P<test>.+)$`), join: " > ", list: true,
		},
		{ // vitest: the verbose reporter writes each test with its file, the default one the files
			from: re(`^ (?:RUN|DEV)  v`), until: re(`^ Test Files `),
			tests:   all(`^ (?P<mark>[✓✔√×✗❯↓□]) +(?P<test>[^>]*` + script + ` > .*?)(?: \[(?:skipped|todo)\])?(?: \(retry x\d+\))?(?: ` + duration + `)?$`),
			places:  re(`^ (?P<mark>[✓✔√×✗❯↓□]) +(?P<place>.*?` + script + `) \(\d+ tests?[^)]*\)(?: ` + duration + `)?$`),
			summary: re(`^ Test Files `), listed: true,
		},
		{ // cargo test: one program after the other
			from: re(`^running \d+ tests?$`), until: re(`^test result: `), places: re(cargoProgram),
			begins: re(`^test (?P<test>.+?)` + docLine + ` \.\.\. `), result: re(`^(?P<mark>ok|FAILED|ignored)(?:,.*)?$`),
			summary: re(`^test result: (?P<mark>ok|FAILED)(?P<none>\. 0 passed; 0 failed; 0 ignored;)?`), join: " ",
		},
		{ // cargo test -q
			from: re(`^failures:$`), until: re(`^\S|^$`), places: re(cargoProgram),
			tests: all(`^    (?P<test>\S.*?)` + docLine + `$`), join: " ", list: true,
		},
		{ // a program of cargo's that did not come to the end of its tests
			places: re(cargoProgram), join: " ", list: true, name: func(string) string { return "[cut short]" },
			tests: all(`^ *process didn't exit (?P<test>successfully): .*\((?:signal: .*|exit code: .*|exit status: (?:\d\d?|10[02-9]|1[1-9]\d|[2-9]\d\d))\)$`),
		},
		{ // pytest -v, and the summary of -rA
			hints: []string{".py", "test session starts"},
			tests: all(`^(?:\[gw\d+\] .*%\] )?`+pytestMark+` `+pytestTest+`(?: - .*)? *$`,
				`^`+pytestTest+` `+pytestMark+`(?: \(.*\))?(?: +\[ *\d+%\])? *$`),
			places:  re(`^(?P<mark>FAILED|ERROR) (?P<place>[^\s:]+\.py)(?: - .*)?$`), // it could not be imported
			summary: re(`^====.* test session starts `), continues: true, repeats: true,
		},
		{ // python3 -m unittest -v, known by its last lines
			begins:  re(`^(?P<test>[^\s(]+) \((?P<class>[^\s()]+\.[^\s()]+)\)(?: \.\.\. |$)`),
			result:  re(`^(?:.* \.\.\. )?(?P<mark>ok|FAIL|ERROR|skipped|expected failure|unexpected success)(?: '.*'| ".*")? *$`),
			summary: re(`^Ran \d+ tests? in `), holds: true, listed: true,
		},
		{ // unittest's failures, each below a ruler; one is that of a module that could not be imported
			from: re(`^={60,}$`), until: re(`^[^=FEU]`), list: true,
			tests: all(`^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (?P<test>.+?)(?: \((?:unittest\.loader\._FailedTest\.?)?(?P<class>[^)]*)\)(?P<rest>.*))?$`),
		},
		{ // runners of which no test is read but those that fail
			hints: []string{"FAIL", "ailed ", "<<< ", "rspec ", "::", "could not compile"}, list: true,
			tests: all(
				`^ *FAIL  (?P<test>.*`+script+` > .+)$`,                  // vitest
				`^ *FAIL  (?P<test>.*`+script+`) \[ .*$`,                 // a file of vitest's
				"^error: could not compile `(?P<build>[^`]+)`",           // cargo
				`^rspec (?:\S+:\d+|'[^']+') # (?P<test>.+)$`,             // RSpec
				`^\d+\) (?P<test>\w[\w\\]*::\w+(?: with data set .+)?)$`, // PHPUnit
				`^  Failed (?P<test>\S.*?) \[`+duration+`\]$`,            // dotnet test
				// Maven, old and new, which sums up behind a comma. A goal also fails because
				// "There are test failures".
				`^(?:\[ERROR\] )?(?P<test>[^\s.(]+)\((?P<class>[^\s(),]+)\) +(?:--? +)?Time elapsed:.*<<< (?:FAILURE|ERROR)!`,
				`^(?:\[ERROR\] )?(?P<test>\S(?:.*?[^\s,-])?) +(?:--? +)?Time elapsed:.*<<< (?:FAILURE|ERROR)!`,
				`Failed to execute goal .* on project (?P<build>[^:\n]+): (?:[^T]|T[^h])`,
				`^(?P<test>[^ >\n].* > .+) FAILED$`, // Gradle
				`^> Task (?P<build>\S*:(?:compile|kapt)[^:\s]*) FAILED$`,
			),
		},
	}
}}
