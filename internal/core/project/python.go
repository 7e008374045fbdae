package project

import (
	"path"
	"slices"
	"strings"
)

// byPython chooses pytest if there is anything of pytest's or a folder of tests, and unittest if
// there is only packaging. Bare test files run with either: with pytest if it is installed. With a
// uv.lock, what uv installs runs them; without uv, nothing here can.
func byPython(has Files, m Machine) (Test, bool) {
	if has.first(UVLock) == "" {
		return bySystemPython(has, m.Importable)
	}
	t, ok := bySystemPython(has, m.Importable)
	t.Command = strings.ReplaceAll(t.Command, SystemPython+" ", ".venv/bin/python ")
	t.Why += ", and there is a " + UVLock
	return t, ok && m.Installed("uv")
}

// UVLock is the lock file of uv.
const UVLock = "uv.lock"

// SystemPython is the Python that commands name where no virtual environment is known.
const SystemPython = "python3"

func bySystemPython(has Files, importable func(module string) bool) (Test, bool) {
	if why := pytest(has); why != "" {
		return Test{"python", "python3 -m pytest -q", why}, true
	}
	if file := has.first("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"); file != "" {
		return Test{"python", "python3 -m unittest discover", "there is a " + file + ", and nothing of pytest"}, true
	}
	return bareTests(has, importable)
}

// bareTests finds test files in a project without packaging. It runs unittest in each place that it
// does not find itself: it looks only into packages.
func bareTests(has Files, importable func(module string) bool) (Test, bool) {
	const discover = "python3 -m unittest discover"
	var commands []string
	why := ""
	for _, folder := range []string{"", "tests", "test"} {
		pattern := path.Join(folder, "test_*.py")
		if has.first(pattern) == "" {
			continue
		}
		if why == "" {
			why = "there are files " + pattern
		}
		command := discover
		if folder != "" && has.first(folder+"/__init__.py") == "" {
			command += " -s " + folder
		}
		if !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	switch {
	case why == "":
		return Test{}, false
	case importable("pytest"):
		return Test{"python", "python3 -m pytest -q", why + ", and pytest is installed"}, true
	}
	return Test{"python", strings.Join(commands, " && "), why + ", and pytest is not installed"}, true
}

func pytest(has Files) string {
	if file := has.first("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"); file != "" {
		return "there is a " + file
	}
	for _, c := range [...]struct{ file, section string }{
		{"pyproject.toml", "tool.pytest"}, {"setup.cfg", "tool:pytest"}, {"tox.ini", "pytest"},
	} {
		if content, ok := has(c.file); ok && hasLine(string(content), "["+c.section) {
			return c.file + " has a section " + c.section
		}
	}
	python := has.first("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini")
	if python == "tox.ini" {
		return "there is a tox.ini"
	}
	if content, ok := has("pyproject.toml"); ok && strings.Contains(string(content), "pytest") {
		return "pyproject.toml names pytest"
	}
	if content, ok := has("requirements.txt"); ok && hasLine(string(content), "pytest") {
		return "requirements.txt names pytest"
	}
	if folder := has.first("tests", "test"); python != "" && folder != "" {
		return "there are a " + python + " and a folder " + folder
	}
	return ""
}

// hasLine reports whether a line of a text begins with start.
func hasLine(text, start string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), start) {
			return true
		}
	}
	return false
}
