package pipeline

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/pipeline/library"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// FolderFile is the file next to prompt.md in a stage folder.
const FolderFile = "stage.yaml"

// addLoop adds to a stage what it omits and its loop has.
func (r *reader) addLoop(stage, name *yamltree.Node, isFolder, isBranch bool) {
	file, content, ok := r.findLoop(name.Place, name.OneLine(), isFolder)
	if !ok {
		return
	}
	var loop Stage
	if n := r.Parse(file, content); n != nil && r.Decode(n, "a loop", &loop) {
		loop.Node.Remove("id", "description") // the loop's own
		if isBranch {
			loop.Node.Remove(shapes[branchStage].Without...)
		}
		inherit(stage, loop.Node)
	}
}

// findLoop returns the file of a stage's loop: the one it names, a loop of the library, or that of a
// stage folder, which is in the folders of stages, next to the file that names it, or in the library.
func (r *reader) findLoop(at yamltree.Place, name string, isFolder bool) (file string, content []byte, ok bool) {
	what, advice := "built-in loop", "write the path of a file, such as ./"+name+".yaml"
	switch {
	case isFolder:
		what, advice = "stage folder", "it was looked for in "
		for _, dir := range append(slices.Clone(r.out.Stages), at.Source.Beside("stages"), at.Source.Beside("")) {
			file = path.Join(dir, name, FolderFile)
			content, err := r.out.Read(file)
			if err == nil || r.out.Missing != nil && !r.out.Missing(err) {
				r.Check(err != nil, at, "the stage %q cannot be read: %v", name, err)
				return file, content, err == nil
			}
			advice += path.Dir(file) + ", "
		}
		advice += "and in the library"
	case isLoopFile(name):
		content, ok = r.readFileAt(at, name)
		return at.Source.Beside(name), content, ok
	}
	content, ok = r.out.Loop(name)
	r.Check(!ok, at, "there is no %s %q%s; %s", what, name, text.DidYouMean(name, library.Loops()), advice)
	return "built-in/" + name + ".yaml", content, ok
}

// readFileAt reads a file named at a position.
func (r *reader) readFileAt(at yamltree.Place, name string) ([]byte, bool) {
	if path.IsAbs(name) && at.Line > 0 {
		r.Report(at, "%q must be a path from the folder of this file", name)
		return nil, false
	}
	content, err := r.out.Read(at.Source.Beside(name))
	r.Check(err != nil, at, "%q cannot be read: %v", name, err)
	return content, err == nil
}

// readPromptFile puts the text of a file in the place of its path, if that is the prompt.
func (r *reader) readPromptFile(n *yamltree.Node) {
	prompt := n.Get("prompt")
	if prompt == nil || !isFile(prompt.Text, ".md", ".txt") {
		return
	}
	file := strings.TrimSpace(prompt.Text)
	if content, ok := r.readFileAt(prompt.Place, file); ok {
		if src, ok := r.CheckText(prompt.Source.Beside(file), content); ok {
			n.Put("prompt", yamltree.NewText(src.At(0), src.Text))
		}
	}
}

// isLoopFile reports whether s is the path of a loop rather than the name of a built-in.
func isLoopFile(s string) bool { return strings.Contains(s, "/") || isFile(s, ".yaml", ".yml") }

// isFile reports whether s is a path rather than a text: one word with one of the extensions.
func isFile(s string, endings ...string) bool {
	s = strings.TrimSpace(s)
	return slices.Contains(endings, path.Ext(s)) && !strings.ContainsAny(s, " \t\n")
}
