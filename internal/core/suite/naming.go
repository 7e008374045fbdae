package suite

import (
	"path"
	"slices"
	"strings"
)

// naming describes how to make a runner name its tests.
type naming struct {
	forms string // how it is called, alternatives separated by |; * matches a version
	last  string // a word that may precede all options

	variable  string // NAME=value, for the environment; "": none
	unasked   string // options with which it already names them, or runs no tests
	flag      string // the option for a command that calls it directly; "": none
	unflagged string // options that make the flag needless or wrong

	needs   string // a file without which the variable has no effect
	once    bool   // each call would overwrite the report
	printed bool   // names are read from its output: leave it alone if a program reads that
}

// namings are the runners that can be asked. A value may contain $NAME for the variable's current
// value, and $FILE for a report.
//
//   - go test, called by a script: GOFLAGS with -v. Not with -json, which was measured
//     with Go 1.26 and changes other commands: go vet prints what it finds and exits with
//     0, go list and go env print JSON to scripts that expect words, go doc fails, go
//     build writes its errors to standard output, and all this also inside tests that
//     call go. With -v these work as before; vet, build and run list packages on
//     standard error. Removing -json from the tests with -exec is no solution: it turns
//     off the cache of test results. NamingCommand gives -json to a command that calls
//     go test itself, where no other command sees it.
//   - pytest prints one more line that says where it wrote.
//   - node --test, mocha, cargo test and bats name their tests by default; jest and
//     vitest have no such variable.
var namings = [...]naming{
	{forms: "go test|go -C * test", variable: "GOFLAGS=$GOFLAGS -v", unasked: "-v -json --json -test.v", needs: "go.mod", printed: true,
		flag: " -json", unflagged: "-json --json -c -h -help"},
	{forms: "pytest|py.test|python* -m pytest", variable: "PYTEST_ADDOPTS=$PYTEST_ADDOPTS --junitxml=$FILE",
		unasked: "--junitxml --junit-xml --co --collect-only --help --version", once: true},
	{forms: "python* -m unittest", last: "discover", printed: true, flag: " -v", unflagged: "-v --verbose -q --quiet -h --help"},
	{forms: "prove", variable: "HARNESS_VERBOSE=1", unasked: "-v --verbose", printed: true},
}

// find returns the index of the last word of the runner's name in a call; -1 if it calls something
// else.
func (n naming) find(c call) int {
	at := c.program()
	if at < 0 {
		return -1
	}
	for form := range strings.SplitSeq(n.forms, "|") {
		want := strings.Fields(form)
		if at+len(want) > len(c.words) {
			continue
		}
		called := true
		for i, pattern := range want {
			text := c.words[at+i].text
			if i == 0 {
				text = strings.TrimLeft(text[strings.LastIndexByte(text, '/')+1:], "@-+")
			}
			ok, err := path.Match(pattern, text)
			called = called && ok && err == nil
		}
		end := at + len(want)
		if called && end < len(c.words) && n.last != "" && c.words[end].text == n.last {
			end++
		}
		if called {
			return end - 1
		}
	}
	return -1
}

// NamingVariables lists the variables, as NAME=value, that make a command's runner name its tests
// and change nothing else; ExpandVariables completes them. It follows commands through scripts,
// makefiles and package scripts. It leaves a runner alone if a program reads its output, or if it
// goes to a file.
func NamingVariables(files Files, command string) (variables []string) {
	r := followCommand(command, files)
	var all []call
	for _, text := range r.texts {
		all = append(all, calls(text)...)
	}
	loops := slices.ContainsFunc(all, func(c call) bool { return c.looped || c.has("xargs") })
	for _, n := range namings {
		wanted, captured, count := false, false, 0
		for _, c := range all {
			if n.find(c) >= 0 {
				wanted = wanted || !c.has(n.unasked)
				captured = captured || c.captured
				count++
			}
		}
		if n.variable != "" && wanted && !(n.printed && captured) && !(n.once && (loops || count > 1)) && n.works(files, r.folders) {
			variables = append(variables, n.variable)
		}
	}
	return variables
}

// works reports whether the project supports the variable: go needs a module, and pytest refuses
// the option if its settings disable the report.
func (n naming) works(files Files, folders []string) bool {
	if n.needs != "" && !slices.ContainsFunc(folders, func(dir string) bool { _, there := files(dir + n.needs); return there }) {
		return false
	}
	for _, name := range [...]string{"pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"} {
		if content, _ := files(name); n.once && strings.Contains(string(content), "no:junitxml") {
			return false
		}
	}
	return true
}

// ExpandVariables completes what NamingVariables left open: the variables' current values, and the
// file for a report.
func ExpandVariables(variables []string, environment func(name string) string, file string) []string {
	if strings.ContainsAny(file, " \t'\"\\$") { // one word of an option list, which pytest splits as a shell does
		file = "'" + strings.ReplaceAll(file, "'", `'"'"'`) + "'"
	}
	list := make([]string, 0, len(variables))
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		value = strings.ReplaceAll(value, "$FILE", file)
		value = strings.TrimSpace(strings.Replace(value, "$"+name, environment(name), 1))
		list = append(list, name+"="+value)
	}
	return list
}

// NamingCommand makes a command name its tests: go test with -json, and Python's unittest with -v,
// if the command itself calls it and only people read the output. The command does the same as
// before, and testoutput.GoEventText turns go test's output back into text. Any other command is
// unchanged.
func NamingCommand(command string) string {
	var b strings.Builder
	from := 0
	for _, c := range calls(command) {
		for _, n := range namings {
			at := n.find(c)
			if at < 0 || n.flag == "" || c.captured || c.has(n.unflagged) {
				continue
			}
			b.WriteString(command[from:c.words[at].end] + n.flag)
			from = c.words[at].end
		}
	}
	return b.String() + command[from:]
}

// reports are the JUnit reports that runners leave in the tree by default.
var reports = [...]struct{ programs, patterns string }{
	{"mvn mvnw", "**/target/surefire-reports/TEST-*.xml **/target/failsafe-reports/TEST-*.xml"},
	{"gradle gradlew", "**/build/test-results/**/TEST-*.xml"},
}

// ReportPatterns lists patterns of the JUnit reports that a command's runner leaves in the tree.
// Reports of an earlier run look the same: remove matching files before the run.
func ReportPatterns(files Files, command string) (patterns []string) {
	r := followCommand(command, files)
	for _, one := range reports {
		if r.calls(one.programs) {
			patterns = append(patterns, strings.Fields(one.patterns)...)
		}
	}
	return patterns
}
