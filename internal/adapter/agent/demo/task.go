package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Markers in the prompt of a workflow's task.
const (
	taskMark  = "\nWORKFLOW TASK "
	filesMark = "Files: "
	anyFile   = "any that the task needs"
)

// findTaskFiles returns the text files that a workflow's task may change, as the line below the task
// names them. It ignores folders, patterns, and other files, where a line of the demo agent would be
// wrong.
func findTaskFiles(dir, prompt string) (names []string) {
	_, task, _ := strings.Cut("\n"+prompt, taskMark)
	_, rest, _ := strings.Cut(task, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	list, found := strings.CutPrefix(strings.TrimSpace(line), filesMark)
	root, err := os.OpenRoot(dir)
	if err != nil || !found || list == anyFile {
		return nil
	}
	defer root.Close()
	for name := range strings.SplitSeq(list, ", ") {
		isText := strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".md")
		if !isText || !filepath.IsLocal(name) || strings.ContainsAny(name, "*?[{") || slices.ContainsFunc(strings.Split(name, "/"), isOwn) {
			continue
		}
		if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrNotExist) { // no links, which could lead out
			names = append(names, name)
		}
	}
	return names
}

// isOwn reports whether a path element is git's or warp's folder.
func isOwn(part string) bool {
	return strings.EqualFold(part, ".git") || strings.EqualFold(part, ".claude")
}

// taskFiles returns a task's files with a line added for each criterion.
func taskFiles(dir string, names, ids []string) (list []file) {
	for _, name := range names {
		was, _ := os.ReadFile(filepath.Join(dir, name)) // a missing file is empty
		text := string(was)
		for _, id := range ids {
			text = AddLine(text, id+doneByDemo)
		}
		list = append(list, file{name, text})
	}
	return list
}
