package command

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// touch notes files that are written, removed or changed; their text becomes unknown.
func (r *reader) touch(files ...string) {
	for _, name := range files {
		if r.touchKeeping(name) {
			r.write(r.key(name), mark, false)
		}
	}
}

// touchKeeping notes a file that keeps its text. An unknown path is useless to the caller, unless a
// known part of it is a guarded folder.
func (r *reader) touchKeeping(name string) bool {
	if name == "" || name == "-" || strings.HasPrefix(name, "/dev/") {
		return false
	}
	if p := r.abs(name); p != "" {
		r.emit(Act{Kind: Touch, Path: p})
	} else if isGuarded(name) {
		r.noteUnknown("the path leads to files of git or to the agent's settings, and is made at run time")
	}
	return true
}

func touchArguments(c *call) { c.touch(c.rest...) }

// touchOutput notes the files that output options name.
func touchOutput(c *call) {
	c.touch(c.values("-o", "-O", "-a", "--output", "--output-document", "--output-file", "--append-output")...)
}

func tee(c *call) {
	text := cmp.Or(c.stdin, mark)
	c.print(text)
	for _, a := range c.rest {
		c.touchKeeping(a)
		c.write(c.key(a), text, c.has("-a", "--append"))
	}
}

func copyBlocks(c *call) {
	for _, a := range c.args {
		if name, ok := strings.CutPrefix(a, "of="); ok {
			c.touch(name)
		}
	}
}

// editInPlace notes the files that sed -i and perl -i change: all arguments but the script.
func editInPlace(c *call) {
	if !c.has("-i", "--in-place") {
		return
	}
	rest := c.rest
	if len(rest) > 0 && rest[0] == "" {
		rest = rest[1:] // BSD's suffix
	}
	if !c.has("-e", "-E", "--expression", "-f", "--file") && len(rest) > 0 {
		rest = rest[1:]
	}
	if c.touch(rest...); c.name == "yq" {
		c.suspectFiles()
	}
}

// remove notes removed files; removing a whole repository or its .git discards work.
func remove(c *call) {
	deep := c.name == "rm" && c.has("-r", "-R", "--recursive") || c.name == "trash"
	for _, a := range c.rest {
		p, act := c.abs(a), Act{Kind: Discard, Why: "removes a whole folder with its repository"}
		if strings.EqualFold(path.Base(p), ".git") {
			act.Dir = path.Dir(p)
		}
		if deep && (act.Dir != "" || c.holdsWork(p)) {
			c.emit(act)
		}
		if c.touch(a); deep && strings.Contains(a, markGit) {
			c.noteUnknown("what is removed is made at run time, and may be git's")
		}
	}
}

// holdsWork reports whether a path contains the start folder, the top of a work tree that the
// command is in, or everything inside one of these. Removing another folder of the project by name
// is fine.
func (c *call) holdsWork(p string) bool {
	for hasPattern(path.Base(p)) && strings.Trim(path.Base(p), "*?.[]!{}") == "" && p != "/" {
		p = path.Dir(p)
	}
	start := c.abs(c.env.Dir)
	return contains(p, start) || contains(p, c.dir) && (!contains(start, c.dir) || c.isTop(c.dir) || !c.isThere(c.dir))
}

// isThere reports whether a cd into the folder surely succeeds: it exists, and nothing before
// touched it.
func (c *call) isThere(dir string) bool {
	gone := func(a Act) bool { return a.Kind == Touch && contains(a.Path, dir) }
	return c.env.Folder != nil && c.env.Folder(dir) && !slices.ContainsFunc(c.acts, gone)
}

// isTop reports whether a folder is the top of a work tree, where .git is a folder or a file.
func (c *call) isTop(dir string) bool {
	_, linked := c.content(dir + "/.git")
	return linked || c.isFolder(dir+"/.git")
}

// contains reports whether folder is dir or one of its parents.
func contains(folder, dir string) bool {
	return folder != "" && dir != "" && (dir == folder || folder == "/" || strings.HasPrefix(dir, folder+"/"))
}

// changeMode notes files that keep their text; the first argument is the mode or owner.
func changeMode(c *call) {
	isMode := c.has("-r", "-w", "-x", "-X", "-s", "-t", "--reference") // chmod -x file: a mode that looks like an option
	for i, a := range c.rest {
		if i > 0 || isMode {
			c.touchKeeping(a)
		}
	}
}

// copyFiles notes the destinations and, for a move, the sources.
func copyFiles(c *call) {
	from := c.rest
	to, _ := c.get("-t", "--target-directory")
	folder := to != ""
	switch {
	case folder:
	case c.name == "install" && (len(from) < 2 || c.has("-d", "--directory")):
		c.touch(from...)
		return
	case len(from) < 2:
		if c.name == "ln" && len(from) == 1 {
			c.touch(path.Base(from[0]))
		}
		return
	default:
		to, from = from[len(from)-1], from[:len(from)-1]
		folder = len(from) > 1 || strings.HasSuffix(to, "/") || to == "." || to == ".."
	}
	if hasWord("rsync scp", c.name) && strings.Contains(to, ":") {
		return // on another host
	}
	c.touch(to)
	for _, a := range from {
		c.copyFile(a, to, folder)
		if c.name == "mv" || c.name == "gmv" {
			c.touch(a)
		}
	}
}

func (c *call) copyFile(from, to string, folder bool) {
	text, ok := c.content(from)
	name := path.Base(from)
	if name != "." && name != ".." && (folder || strings.HasPrefix(name, ".") && !hasMark(name)) {
		to = path.Join(to, name)
		c.touch(to)
	}
	if program := programName(name); hasWord("git "+shellNames, program) {
		text, ok = program+` "$@"`, true // a copied program becomes a script that calls it
	}
	if ok {
		c.write(c.key(to), text, false)
	}
}
