package gitignore

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// File is the name of the file that git reads.
const File = ".gitignore"

// always is ignored by every kind of project.
var always = []string{".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", ".DS_Store", "*.log"}

// usual is what projects ignore that have one of some files.
var usual = []struct{ files, lines string }{
	{"package.json", "node_modules/ .npm/ coverage/"},
	{"pyproject.toml setup.py setup.cfg requirements.txt tox.ini Pipfile *.py", "__pycache__/ *.pyc .venv/ venv/ .pytest_cache/ .tox/ *.egg-info/"},
	{"go.mod", "*.test *.out"},
	{"Cargo.toml", "target/"},
	{"pom.xml", "target/"},
	{"build.gradle build.gradle.kts settings.gradle settings.gradle.kts", ".gradle/ build/"},
	{"Gemfile", ".bundle/ vendor/bundle/"},
	{"composer.json", "vendor/"},
	{"mix.exs", "_build/ deps/"},
	{"*.tf", ".terraform/ *.tfstate *.tfstate.*"},
}

// Usual returns the lines that projects with these files usually have. It asks has for names and
// for patterns with a *.
func Usual(has func(name string) ([]byte, bool)) []string {
	lines := slices.Clone(always)
	for _, u := range usual {
		there := slices.ContainsFunc(strings.Fields(u.files), func(name string) bool { _, ok := has(name); return ok })
		for _, line := range strings.Fields(u.lines) {
			if there && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// AddUsual adds lines to the text of a .gitignore, above the rest, where the person's own lines can
// overrule them. A text with lines of its own keeps its decisions: only what is missing is added.
func AddUsual(text string, lines []string) string {
	theirs := strings.Split(text, "\n")
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(theirs, func(s string) bool { return pattern(s) == pattern(line) || pattern(s) == pattern("!"+line) })
	})
	if len(lines) == 0 {
		return text
	}
	added := strings.Join(lines, "\n") + "\n"
	if text != "" {
		added += "\n"
	}
	return added + text
}

// dependencies are names of folders that package managers fill.
var dependencies = []string{"node_modules", "bower_components", "site-packages", "__pycache__", ".tox", ".nox", ".gradle", ".terraform", "Pods", "elm-stuff", ".pnpm-store"}

// markers are files that package managers and compilers leave in a folder that is theirs.
var markers = []string{"pyvenv.cfg", ".rustc_info.json", "CACHEDIR.TAG"}

// DependencyFolders returns the folders among some paths that hold dependencies or what was built.
func DependencyFolders(paths []string) (folders []string) {
	add := func(folder string) {
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, p := range paths {
		parts := strings.Split(p, "/")
		if i := slices.IndexFunc(parts[:len(parts)-1], func(name string) bool { return slices.Contains(dependencies, name) }); i >= 0 {
			add(path.Join(parts[:i+1]...) + "/")
		} else if len(parts) > 1 && slices.Contains(markers, parts[len(parts)-1]) {
			add(path.Dir(p) + "/")
		}
	}
	return folders
}

// mostShown is the number of entries that an outline names.
const mostShown = 12

// Outline names paths by their first folders: .gitignore, src/ (8 files).
func Outline(paths []string) string {
	var names []string
	counts := map[string]int{}
	for _, p := range paths {
		name, _, within := strings.Cut(p, "/")
		if within {
			name += "/"
		}
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	var shown []string
	for i, name := range names {
		if i == mostShown {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		if n := counts[name]; n > 1 {
			name += fmt.Sprintf(" (%d files)", n)
		}
		shown = append(shown, name)
	}
	return strings.Join(shown, ", ")
}
