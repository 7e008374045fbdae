package suite

import "strings"

// Ask lists the variables that make the runner of a command name its tests and change
// nothing else, as NAME=value. In a value $NAME stands for what the variable holds
// already, and $FILE for a file outside the tree that the caller chooses and reads with
// ReadJUnit; Expand fills both in. Commands are followed through scripts, makefiles and
// package scripts.
//
//   - go test, called by a script: GOFLAGS with -v. Not with -json, which was measured
//     with Go 1.26 and changes other commands: go vet prints what it finds and exits with
//     0, go list and go env print JSON to scripts that expect words, go doc fails, go
//     build writes its errors to standard output, and all this also inside of tests that
//     call go. With -v these do what they did; vet, build and run list packages on
//     standard error. To take -json away from the tests with -exec is no way out: it
//     turns off the cache of test results. A command that calls go test itself is given
//     -json by Name, which no other command sees.
//   - pytest: PYTEST_ADDOPTS with --junitxml, unless it is called more than once, as each
//     call would overwrite the file. pytest says in one line more where it wrote.
//   - prove: HARNESS_VERBOSE.
//
// A runner whose output a program reads, or that goes to a file, is left alone. node
// --test, mocha, cargo test and bats name their tests unasked; jest and vitest take no
// such variable.
func Ask(files Files, command string) (variables []string) {
	r := reach(command, files)
	golang, python, perl := asking{}, asking{}, asking{}
	loops := false
	for _, text := range r.texts {
		for _, c := range calls(text) {
			at := c.program()
			if at < 0 {
				continue
			}
			switch name := base(c.words[at].text); {
			case name == "go" && goTest(c, at) > 0:
				golang.add(c, c.has("-v", "-json", "--json", "-test.v"))
			case isPytest(c, at):
				python.add(call{}, c.has("--junitxml", "--junit-xml", "--co", "--collect-only", "--help", "--version")) // a file is captured by nothing
			case name == "prove":
				perl.add(c, c.has("-v", "--verbose"))
			case name == "for" || name == "while" || name == "until" || name == "xargs":
				loops = true
			}
		}
	}
	module := false
	for _, dir := range r.folder {
		_, there := files(dir + "go.mod")
		module = module || there
	}
	if module && golang.wanted() {
		variables = append(variables, "GOFLAGS=$GOFLAGS -v")
	}
	if python.wanted() && python.calls == 1 && !loops && !turnedOff(files) {
		variables = append(variables, "PYTEST_ADDOPTS=$PYTEST_ADDOPTS --junitxml=$FILE")
	}
	if perl.wanted() {
		variables = append(variables, "HARNESS_VERBOSE=1")
	}
	return variables
}

// Reports lists patterns of the JUnit reports that the runner of a command leaves in the
// tree unasked. A report of an earlier run looks like one of this: remove what matches
// before the run.
func Reports(files Files, command string) (patterns []string) {
	r := reach(command, files)
	if r.calls("mvn mvnw") {
		patterns = append(patterns, "**/target/surefire-reports/TEST-*.xml", "**/target/failsafe-reports/TEST-*.xml")
	}
	if r.calls("gradle gradlew") {
		patterns = append(patterns, "**/build/test-results/**/TEST-*.xml")
	}
	return patterns
}

// asking is whether one runner is to be asked.
type asking struct {
	calls, open int
	captured    bool
}

func (a *asking) add(c call, done bool) {
	a.calls++
	a.captured = a.captured || c.captured
	if !done {
		a.open++
	}
}

func (a *asking) wanted() bool { return a.open > 0 && !a.captured }

func base(program string) string {
	return strings.TrimLeft(program[strings.LastIndexByte(program, '/')+1:], "@-+")
}

// goTest is the place of the word test in a call of go; -1 where it calls something else.
func goTest(c call, at int) int {
	at++
	if at < len(c.words) && c.words[at].text == "-C" {
		at += 2
	}
	if at < len(c.words) && c.words[at].text == "test" {
		return at
	}
	return -1
}

// isPytest tells pytest, and python3 -m pytest.
func isPytest(c call, at int) bool {
	name := base(c.words[at].text)
	if name == "pytest" || name == "py.test" {
		return true
	}
	for i := at + 1; i+1 < len(c.words) && strings.HasPrefix(name, "python"); i++ {
		if c.words[i].text == "-m" {
			return c.words[i+1].text == "pytest"
		}
	}
	return false
}

// turnedOff reports whether a project's settings take the report away from pytest, which
// would then refuse the option.
func turnedOff(files Files) bool {
	for _, name := range [...]string{"pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"} {
		if content, _ := files(name); strings.Contains(string(content), "no:junitxml") {
			return true
		}
	}
	return false
}

// Expand fills in what Ask left open: what the environment holds already, and the file for
// a report.
func Expand(variables []string, environment func(name string) string, file string) []string {
	list := make([]string, 0, len(variables))
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		value = strings.ReplaceAll(value, "$FILE", quoted(file))
		value = strings.TrimSpace(strings.Replace(value, "$"+name, environment(name), 1))
		list = append(list, name+"="+value)
	}
	return list
}

// quoted is a path as one word of an option list, which pytest splits as a shell does.
func quoted(file string) string {
	if strings.ContainsAny(file, " \t'\"\\$") {
		return "'" + strings.ReplaceAll(file, "'", `'"'"'`) + "'"
	}
	return file
}

// Name is a command that names its tests: go test with -json, and Python's unittest with
// -v, where the command itself calls it and nothing but people reads the output. It does
// what the command did, and what go test prints is read back by AsText. Any other command
// is left as it is.
func Name(command string) string {
	var b strings.Builder
	from := 0
	for _, c := range calls(command) {
		end, flag := flagOf(c)
		if flag == "" {
			continue
		}
		b.WriteString(command[from:end] + flag)
		from = end
	}
	return b.String() + command[from:]
}

// flagOf is where a call gets a flag with which it names its tests; "": it gets none.
func flagOf(c call) (end int, flag string) {
	at := c.program()
	switch {
	case at < 0 || c.captured:
	case base(c.words[at].text) == "go" && goTest(c, at) >= 0 && !c.has("-json", "--json", "-c", "-h", "-help"):
		return c.words[goTest(c, at)].end, " -json"
	case strings.HasPrefix(base(c.words[at].text), "python") && !c.has("-v", "--verbose", "-q", "--quiet", "-h", "--help"):
		for i := at + 1; i < len(c.words)-1; i++ {
			if c.words[i].text != "-m" || c.words[i+1].text != "unittest" {
				continue
			}
			if i++; i+1 < len(c.words) && c.words[i+1].text == "discover" { // it must come first
				i++
			}
			return c.words[i].end, " -v"
		}
	}
	return 0, ""
}
