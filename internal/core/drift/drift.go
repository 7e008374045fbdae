// Package drift has the rule of thumb by which a commit makes one doubt the
// documentation: it changes tooling and not a word about it. Whether anything is
// wrong, an audit tells; this only says when to look.
package drift

import (
	"slices"
	"strings"
)

// tooling are the folders whose documentation drifts when they change alone.
var tooling = []string{"skills", "commands", "agents", "hooks", "bin", "scripts"}

// Suspect returns the first file of tooling that a commit changes, when it
// changes no *.md; "" when there is nothing to doubt.
func Suspect(files []string) string {
	i := slices.IndexFunc(files, isTooling)
	if i < 0 || slices.ContainsFunc(files, isMarkdown) {
		return ""
	}
	return files[i]
}

func isTooling(file string) bool {
	if file == "Makefile" || strings.HasSuffix(file, "/Makefile") {
		return true
	}
	parts := strings.Split(file, "/")
	return slices.ContainsFunc(parts[:len(parts)-1], func(dir string) bool { return slices.Contains(tooling, dir) })
}

func isMarkdown(file string) bool { return strings.HasSuffix(strings.ToLower(file), ".md") }
