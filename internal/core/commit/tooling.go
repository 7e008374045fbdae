package commit

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// toolingFolders hold files whose documentation tends to be forgotten.
var toolingFolders = text.WordSet{List: "skills commands agents hooks bin scripts"}

func isTooling(file string) bool {
	folders := strings.Split(file, "/")
	return path.Base(file) == "Makefile" || slices.ContainsFunc(folders[:len(folders)-1], toolingFolders.Has)
}

func isMarkdown(file string) bool { return strings.EqualFold(path.Ext(file), ".md") }

// UndocumentedTooling returns the first tooling file that a commit changes, if it changes no
// document, and "" otherwise. It only decides when to run an audit.
func UndocumentedTooling(files []string) string {
	i := slices.IndexFunc(files, isTooling)
	if i < 0 || slices.ContainsFunc(files, isMarkdown) {
		return ""
	}
	return files[i]
}
