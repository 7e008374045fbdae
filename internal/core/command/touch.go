package command

import (
	"cmp"
	"path"
	"strings"
)

// touch notes files that are written, removed or changed. A path that is not known is of
// no use to anyone, unless a known part of it is a guarded folder.
func (r *reader) touch(files ...string) {
	for _, name := range files {
		p := r.abs(name)
		switch {
		case name == "" || name == "-" || strings.HasPrefix(name, "/dev/"):
		case p != "":
			r.emit(Act{Kind: Touch, Path: p})
		case isGuarded(name):
			r.noteUnknown("the path leads to files of git or to the agent's settings, and is made at run time")
		}
	}
}

func (r *reader) touchArguments(c *call) { r.touch(c.rest...) }

// touchOutput notes the file that an option names: its text is not known.
func (r *reader) touchOutput(c *call) {
	if a, ok := c.get("-o", "-O", "--output", "--output-document"); ok {
		r.touch(a)
		r.files[r.key(a)] = mark
	}
}

func (r *reader) tee(c *call) {
	r.touch(c.rest...)
	text := cmp.Or(r.stdin, mark)
	r.print(text)
	for _, a := range c.rest {
		if !c.has("-a", "--append") {
			r.files[r.key(a)] = text
		}
	}
}

// editInPlace notes the files that sed -i and perl -i change: all arguments, but
// for the script.
func (r *reader) editInPlace(c *call) {
	if !c.has("-i", "--in-place") {
		return
	}
	rest := c.rest
	if !c.has("-e", "-E", "--expression", "-f", "--file") && len(rest) > 0 {
		rest = rest[1:]
	}
	r.touch(rest...)
}

// remove notes what goes; a whole repository or its .git goes with work in it.
func (r *reader) remove(c *call) {
	deep := c.name == "rm" && c.has("-r", "-R", "--recursive") || c.name == "trash"
	for _, a := range c.rest {
		if p := r.abs(a); deep && p != "" {
			const why = "removes a whole folder with its repository"
			if strings.EqualFold(path.Base(p), ".git") {
				r.emit(Act{Kind: Discard, Why: why, Dir: path.Dir(p)})
			} else if r.holdsWork(p) {
				r.emit(Act{Kind: Discard, Why: why})
			}
		}
		r.touch(a)
	}
}

// holdsWork tells a folder that the command stands in, or everything inside it.
func (r *reader) holdsWork(p string) bool {
	for hasPattern(p) && strings.Trim(path.Base(p), "*?.[]!{}") == "" && p != "/" {
		p = path.Dir(p)
	}
	for _, dir := range []string{r.dir, absolute(r.env.Dir)} {
		if dir != "" && (dir == p || p == "/" || strings.HasPrefix(dir, p+"/")) {
			return true
		}
	}
	return false
}

// changeMode notes files whose text stays; the first argument is the mode or owner,
// unless it is the only one: the mode of chmod -x file looks like an option.
func (r *reader) changeMode(c *call) {
	if rest := c.rest; len(rest) > 1 {
		r.touch(rest[1:]...)
	} else {
		r.touch(rest...)
	}
}

// copyFiles notes where files go and, when they are moved, where they came from.
func (r *reader) copyFiles(c *call) {
	from := c.rest
	to, folder := c.get("-t", "--target-directory")
	switch {
	case folder:
	case c.name == "install" && (len(from) < 2 || c.has("-d", "--directory")):
		r.touch(from...)
		return
	case c.name == "ln" && len(from) == 1:
		r.touch(path.Base(from[0]))
		return
	case len(from) < 2:
		return
	default:
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	folder = folder || len(from) > 1 || strings.HasSuffix(to, "/") || to == "." || to == ".."
	r.touch(to)
	for _, a := range from {
		name := path.Base(a)
		if name != "." && name != ".." && (folder || strings.HasPrefix(name, ".") && !hasMark(name)) {
			r.touch(path.Join(to, name))
		}
		if c.name == "mv" || c.name == "gmv" {
			r.touch(a)
		}
	}
}
