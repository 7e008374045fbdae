package command

import (
	"cmp"
	"path"
	"strings"
)

// touch notes files that are written or removed. An unknown path is useless to the caller, unless a
// known part of it is a guarded folder.
func (r *reader) touch(files ...string) {
	for _, name := range files {
		if name == "" || strings.HasPrefix(name, "/dev/") {
			continue
		}
		r.fresh = append(r.fresh, r.key(name))
		if p := r.abs(name); p != "" {
			r.emit(Act{Kind: Touch, Path: p})
		} else if isGuarded(name) || strings.Contains(name, markGit+markList) {
			r.noteUnknown("the path leads to files of git or to the agent's settings, and is known only at run time")
		}
	}
}

func touchArguments(c *call) { c.touch(c.rest...) }

func tee(c *call) {
	text := cmp.Or(c.stdin, mark)
	c.print(text)
	c.write(text)
	c.touch(c.rest...)
}

// editInPlace notes the files that sed -i and perl -i change: all arguments but the script.
func editInPlace(c *call) {
	if !c.has("-i", "--in-place") {
		return
	}
	rest := c.rest
	if !c.has("-e", "-E", "--expression", "-f", "--file") && len(rest) > 0 {
		rest = rest[1:]
	}
	c.touch(rest...)
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
			c.noteUnknown("the path to remove is known only at run time, and may be git's")
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
	isBelow := contains(start, c.dir) && c.isFolder(c.dir) && !c.isFolder(c.dir+"/.git") && c.content(c.dir+"/.git") == ""
	return contains(p, start) || contains(p, c.dir) && !isBelow
}

// contains reports whether folder is dir or one of its parents.
func contains(folder, dir string) bool {
	return folder != "" && dir != "" && (dir == folder || folder == "/" || strings.HasPrefix(dir, folder+"/"))
}

// changeMode notes files that keep their text. A mode or owner among them is no file of anyone's.
func changeMode(c *call) {
	fresh := c.fresh
	c.touch(c.rest...)
	c.fresh = fresh
}

// copyFiles notes the destinations and, for a move, the sources. Each may be a folder or a file.
func copyFiles(c *call) {
	to, given := c.get("-t", "--target-directory")
	from := c.rest
	if !given && len(from) > 0 {
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	c.touch(to)
	for _, a := range from {
		c.write(c.content(a))
		if name := path.Base(a); !hasMark(name) {
			c.touch(path.Join(to, name))
		}
		if hasWord("mv gmv", c.name) {
			c.touch(a)
		}
	}
}
