package demo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a prompt about a task of a workflow has in it, and what comes of it.
const (
	taskMark  = "\nWORKFLOW TASK "
	filesMark = "Files: "
	anyFile   = "any that the task needs"
	taskLine  = ": done by the demo agent\n" // what it writes, below the name of a criterion
)

// findTaskFiles finds the texts that a task of a workflow may change, as far as they are named
// in the line below its own: a folder or a pattern names none. In other files a line of the
// demo agent would be wrong.
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
		if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrNotExist) { // no link leads out
			names = append(names, name)
		}
	}
	return names
}

// isOwn tells the folders of git and of warp.
func isOwn(part string) bool {
	return strings.EqualFold(part, ".git") || strings.EqualFold(part, ".claude")
}

// taskFiles are the files of a task with a line for each criterion; what is there stays.
func taskFiles(dir string, names, ids []string) (list []file) {
	for _, name := range names {
		was, _ := os.ReadFile(filepath.Join(dir, name)) // an absent one is empty
		text := string(was)
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		for _, id := range ids {
			if line := id + taskLine; !strings.Contains(text, line) {
				text += line
			}
		}
		list = append(list, file{name, text})
	}
	return list
}
