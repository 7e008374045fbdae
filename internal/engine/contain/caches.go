package contain

import (
	"os"
	"path/filepath"
	"strings"

	"warp/internal/sys/sandbox"
)

// toolCaches are what tools write into the folder that they run in, with the variable that leads it
// elsewhere.
var toolCaches = []struct{ variable, name string }{
	{"PYTHONPYCACHEPREFIX", "python"}, {"RUFF_CACHE_DIR", "ruff"}, {"MYPY_CACHE_DIR", "mypy"}, {"COVERAGE_FILE", "coverage"}, {"HYPOTHESIS_STORAGE_DIRECTORY", "hypothesis"},
	{"CARGO_TARGET_DIR", "cargo"}, {"BABEL_CACHE_PATH", "babel.json"}, {"DOTNET_CLI_HOME", "dotnet"},
}

// privateCaches leads what tools write into the work tree to a private folder: a run that may only
// read once took pytest's complaint about its cache for a red suite.
func privateCaches(environ []string, dir string) map[string]string {
	set := map[string]string{"PYTEST_ADDOPTS": strings.TrimSpace(sandbox.Variable(environ, "PYTEST_ADDOPTS") + " -o cache_dir=" + filepath.Join(dir, "pytest"))}
	for _, c := range toolCaches {
		set[c.variable] = filepath.Join(dir, c.name)
	}
	return set
}

// WithPrivateCaches adds the variables of privateCaches to the environment of a run that may only
// read, and has no sandbox.
func (w *Walls) WithPrivateCaches(environ []string, name string) []string {
	dir := filepath.Join(w.folder(), name, "caches")
	if os.MkdirAll(dir, 0o700) != nil {
		return environ // they then write where they always do
	}
	for variable, value := range privateCaches(environ, dir) {
		environ = append(environ, variable+"="+value)
	}
	return environ
}
