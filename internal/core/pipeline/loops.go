package pipeline

import (
	"path"
	"strings"

	"warp/internal/core/pipeline/library"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// FolderFile is the file next to prompt.md in a stage folder.
const FolderFile = "stage.yaml"

// readLoop returns the mapping of a stage's loop; nil if it has none or an error was reported.
func (r *reader) readLoop(s *Stage, isBranch bool) *yamltree.Node {
	if s.node.Has("prompt") {
		return nil
	}
	file, content, ok := r.findLoop(s)
	if !ok {
		return nil
	}
	var loop Stage
	n := r.Parse(file, content)
	if n == nil || !r.Decode(n, "a loop", &loop) {
		return nil
	}
	n = loop.node
	switch {
	case n.Has("prompt"):
	case path.Base(file) == FolderFile:
		n.Put("prompt", yamltree.NewText(n.Place, "prompt.md"))
	default:
		r.Report(n.Place, "the loop has no prompt")
	}
	boundByStrategy(n)
	// The name and description are the loop's, not the stage's. Of parallel branches, the chosen
	// result is committed, not what each branch makes.
	n.Remove("id", "description")
	if isBranch {
		n.Remove("commit")
	}
	return n
}

// findLoop returns the file of a stage's loop or stage folder.
func (r *reader) findLoop(s *Stage) (file string, content []byte, ok bool) {
	at := s.node.Where("loop", "stage")
	switch {
	case isLoopFile(s.Loop):
		content, ok = r.readFileAt(at, s.Loop)
		return at.Source.Beside(s.Loop), content, ok
	case s.node.Has("loop"):
		return r.findBuiltIn(at, s.Loop, "built-in loop", "write the path of a file, such as ./"+s.Loop+".yaml")
	case text.ValidName(s.Folder):
		return r.findFolder(at, s.Folder)
	}
	return "", nil, false
}

// findFolder finds the file of a stage folder: in the folders of stages, next to the file that
// names it, or in the library.
func (r *reader) findFolder(at yamltree.Place, name string) (file string, content []byte, ok bool) {
	var looked []string
	for _, dir := range r.out.Stages {
		looked = append(looked, path.Join(dir, name))
	}
	looked = append(looked, at.Source.Beside("stages/"+name), at.Source.Beside(name))
	for _, dir := range looked {
		if r.out.Read == nil {
			break
		}
		file = path.Join(dir, FolderFile)
		content, err := r.out.Read(file)
		switch {
		case err == nil:
			return file, content, true
		case r.out.Missing != nil && !r.out.Missing(err):
			r.Report(at, "the stage %q cannot be read: %v", name, err)
			return file, nil, false
		}
	}
	return r.findBuiltIn(at, name, "stage folder", "it was looked for in "+strings.Join(looked, ", ")+", and in the library")
}

// findBuiltIn returns the file of a loop of the library.
func (r *reader) findBuiltIn(at yamltree.Place, name, what, advice string) (file string, content []byte, ok bool) {
	find := library.Loop
	if r.out.Loop != nil {
		find = r.out.Loop
	}
	if content, ok = find(name); !ok {
		r.Report(at, "there is no %s %q%s; %s", what, name, text.DidYouMean(name, library.Loops()), advice)
	}
	return "built-in/" + name + ".yaml", content, ok
}

// readFileAt reads a file named at a position.
func (r *reader) readFileAt(at yamltree.Place, name string) ([]byte, bool) {
	switch {
	case path.IsAbs(name) && at.Line > 0:
		r.Report(at, "%q must be a path from the folder of this file", name)
	case r.out.Read == nil:
		r.Report(at, "%q: no files are read here", name)
	default:
		content, err := r.out.Read(at.Source.Beside(name))
		if err == nil {
			return content, true
		}
		r.Report(at, "%q cannot be read: %v", name, err)
	}
	return nil, false
}
