package scope

import (
	"path"
	"slices"
	"strings"
)

// instructions are files and folders that agents load as instructions, in any case of letters.
var instructions = []string{"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", ".mcp.json", ".claude", ".codex", ".gemini", ".agents",
	".cursor", ".cursorrules", ".windsurfrules", ".clinerules", "copilot-instructions.md"}

// loaders are other files and folders that editors, shells and services load and run, with the
// reader.
var loaders = []struct{ names, reader string }{
	{".vscode .idea .zed .fleet .editorconfig .vimrc .nvimrc .exrc .dir-locals.el", "editors load"},
	{".devcontainer .devcontainer.json", "editors load"},
	{".envrc .direnv .mise.toml mise.toml .autoenv", "shells load"},
	{".husky .pre-commit-config.yaml lefthook.yml lefthook.yaml .githooks", "git runs"},
	{".gitlab-ci.yml .gitlab-ci.yaml .travis.yml jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .drone.yml .appveyor.yml appveyor.yml .circleci .woodpecker .woodpecker.yml .buildkite", "CI runs"},
}

// ciFolders hold workflows of CI.
var ciFolders = []string{".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows"}

// IsInstructions reports whether agents load a file as instructions, because of its name or of a
// folder it is in.
func IsInstructions(file string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(file), "/"), func(part string) bool { return slices.Contains(instructions, part) })
}

// loaded says who loads or runs a file by its name alone; "" for no one.
func loaded(file string) string {
	if IsInstructions(file) {
		return "a file that agents load as instructions"
	}
	lower := strings.ToLower(file)
	for _, dir := range ciFolders {
		if inFolder(lower, dir) || strings.Contains("/"+lower, "/"+dir+"/") {
			return "a file that CI runs"
		}
	}
	for part := range strings.SplitSeq(lower, "/") {
		for _, l := range loaders {
			if slices.Contains(strings.Fields(l.names), part) {
				return "a file that " + l.reader
			}
		}
	}
	return ""
}

// locks are files that package managers write: their size and their being new follow from the
// manifest.
var locks = []string{"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock",
	"go.sum", "Gemfile.lock", "composer.lock", "mix.lock", "deno.lock", "gradle.lockfile"}

func isLock(file string) bool { return slices.Contains(locks, path.Base(file)) }

// vendors returns the folder of vendored dependencies that a change writes together with their
// go.mod: both are one change. "": none.
func vendors(files []File) string {
	has := func(name string) bool {
		return slices.ContainsFunc(files, func(f File) bool { return f.Path == name })
	}
	for _, f := range files {
		if dir, ok := strings.CutSuffix(f.Path, "vendor/modules.txt"); ok && has(dir+"go.mod") {
			return dir + "vendor"
		}
	}
	return ""
}

func inFolder(file, dir string) bool { return dir != "" && strings.HasPrefix(file, dir+"/") }

// strayNames, strayEnds and strayFolders tell what agents and tools leave behind.
var (
	strayNames = []string{"notes", "note", "todo", "plan", "summary", "implementation", "scratch", "scratchpad", "debug", "tmp", "temp", "analysis", "report", "progress",
		"walkthrough", "findings", "worklog", "output", "out", "nohup", "core", "result", "results", "decision", "decisions", "verification", "solution"}
	strayEnds = []string{".log", ".tmp", ".temp", ".bak", ".orig", ".rej", ".swp", ".swo", "~", ".pid", ".prof", ".pyc", ".class", ".o", ".test", ".exe", ".core",
		"coverage.out", "cover.out", ".coverage", ".ds_store", "thumbs.db", ".patch", ".diff"}
	strayFolders = []string{"tmp", "temp", "scratch", "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".venv", "venv", ".nyc_output", "htmlcov"}
	strayStarts  = []string{"scratch", "tmp_", "tmp-", "temp_", "temp-", "debug_", "debug-", "notes_", "notes-", "test_output", "test-output"}
)

// isStray reports whether a new file looks like working notes, or like what a tool left behind.
func isStray(file string) bool {
	lower := strings.ToLower(file)
	base := path.Base(lower)
	stem, ext := strings.TrimSuffix(base, path.Ext(base)), path.Ext(base)
	words := ext == "" || ext == ".md" || ext == ".txt" || ext == ".json"
	switch {
	case slices.ContainsFunc(strayEnds, func(end string) bool { return strings.HasSuffix(base, end) }):
		return true
	case slices.ContainsFunc(strings.Split(path.Dir(lower), "/"), func(dir string) bool { return slices.Contains(strayFolders, dir) }):
		return true
	case slices.ContainsFunc(strayStarts, func(start string) bool { return strings.HasPrefix(base, start) }):
		return true
	case words && slices.Contains(strayNames, stem):
		return true
	}
	return ext == ".md" && !strings.Contains(file, "/") && stem == strings.ToLower(stem) && isShouting(path.Base(file)) // FIX_SUMMARY.md
}

// known are files at the top of a project that are no notes.
var known = []string{"README.md", "CHANGELOG.md", "CHANGES.md", "HISTORY.md", "NEWS.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE.md", "CODE_OF_CONDUCT.md", "AUTHORS.md", "UPGRADING.md", "MIGRATION.md"}

func isShouting(base string) bool {
	stem := strings.TrimSuffix(base, path.Ext(base))
	return stem == strings.ToUpper(stem) && strings.ContainsFunc(stem, func(r rune) bool { return r >= 'A' && r <= 'Z' }) && !slices.Contains(known, strings.ToUpper(stem)+".md")
}
