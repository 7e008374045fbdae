package command

import (
	"path"
	"strings"
)

// touches notes the files that the usual tools write, remove or change.
func (r *reader) touches(base string, args []arg) bool {
	switch base {
	case "rm", "rmdir", "unlink", "shred", "trash", "srm":
		r.remove(base, args)
	case "mkdir", "mkfifo", "mknod":
		r.touchAll(parseOptions(args, "m", "mode").rest)
	case "truncate":
		r.touchAll(parseOptions(args, "sr", "size reference").rest)
	case "touch":
		for _, a := range parseOptions(args, "drt", "date reference time").rest {
			r.touchKeeping(a)
		}
	case "tee", "sponge":
		l := parseOptions(args, "", "")
		text, ok := r.input()
		r.touchAll(l.rest)
		for _, a := range l.rest {
			if ok && !l.has("-a", "--append") {
				r.files[r.key(a.s)] = text
			}
		}
	case "chmod", "chown", "chgrp", "chflags", "chattr", "setfacl":
		r.changeMode(args)
	case "cp", "mv", "ln", "install", "rsync", "gcp", "gmv", "ditto", "scp":
		r.copyFiles(strings.TrimPrefix(base, "g"), args)
	case "dd":
		for _, a := range args {
			if name, ok := strings.CutPrefix(a.s, "of="); ok {
				r.touch(arg{s: name})
			}
		}
	case "sed", "gsed":
		r.editInPlace(args, "efl", "expression file line-length")
	case "curl":
		r.webRequest(args)
		r.touchOutput(args, "odHXAFuTemxbrcEKwyYzC", "output data header request user-agent form user", "-o", "--output")
	case "wget":
		r.webRequest(args)
		r.touchOutput(args, "OPoaiUt", "output-document directory-prefix", "-O", "--output-document")
	case "sort", "gsort":
		r.touchOutput(args, "okSTt", "output key buffer-size temporary-directory field-separator", "-o", "--output")
	case "http", "https", "xh":
		r.webRequest(args)
	default:
		return false
	}
	return true
}

func (r *reader) touchOutput(args []arg, short, long string, names ...string) {
	l := parseOptions(args, short, long)
	if a, ok := l.get(names...); ok && a.s != "-" {
		r.touch(a)
	}
}

// editInPlace notes the files that sed -i and perl -i change: all arguments, but
// for the script.
func (r *reader) editInPlace(args []arg, short, long string) {
	l := parseOptions(args, short, long)
	if !l.has("-i", "--in-place") {
		return
	}
	rest := l.rest
	if len(rest) > 0 && rest[0].s == "" {
		rest = rest[1:] // BSD's suffix
	}
	if !l.has("-e", "-E", "--expression", "-f", "--file") && len(rest) > 0 {
		rest = rest[1:]
	}
	r.touchAll(rest)
}

// remove notes what goes; a whole repository or its .git goes with work in it.
func (r *reader) remove(base string, args []arg) {
	short := "nsu"
	if base == "rm" {
		short = ""
	}
	l := parseOptions(args, short, "")
	deep := base == "rm" && l.has("-r", "-R", "--recursive") || base == "trash"
	for _, a := range l.rest {
		if p := r.abs(a.s); deep && p != "" {
			const why = "removes a whole folder with its repository"
			if strings.EqualFold(path.Base(p), ".git") {
				r.emit(Act{Kind: Discard, Why: why, Dir: path.Dir(p)})
			} else if r.holdsWork(p, a.glob) {
				r.emit(Act{Kind: Discard, Why: why})
			}
		}
		r.touch(a)
	}
}

// holdsWork tells a folder that the command stands in, or everything inside it.
func (r *reader) holdsWork(p string, glob bool) bool {
	for glob && strings.Trim(path.Base(p), "*?.[]!{}") == "" && p != "/" {
		p = path.Dir(p)
	}
	for _, dir := range []string{r.dir, absolute(r.env.Dir)} {
		if dir != "" && (dir == p || p == "/" || strings.HasPrefix(dir, p+"/")) {
			return true
		}
	}
	return false
}

// changeMode notes files whose text stays; the first argument is the mode or owner.
func (r *reader) changeMode(args []arg) {
	var rest []arg
	hasMode := false
	for _, a := range args {
		switch {
		case len(a.s) < 2 || a.s[0] != '-':
			rest = append(rest, a)
		case strings.HasPrefix(a.s, "--reference"), strings.Trim(a.s[1:], "rwxXst") == "":
			hasMode = true // chmod -x file: what looks like an option is the mode
		}
	}
	if !hasMode && len(rest) > 0 {
		rest = rest[1:]
	}
	for _, a := range rest {
		r.touchKeeping(a)
	}
}

// copyFiles notes where files go and, when they are moved, where they came from.
func (r *reader) copyFiles(base string, args []arg) {
	short, long := "tS", "target-directory suffix"
	switch base {
	case "install":
		short, long = "tSmog", "target-directory suffix mode owner group"
	case "rsync":
		short, long = "efTB", "rsh exclude include filter files-from rsync-path temp-dir exclude-from include-from"
	case "scp":
		short, long = "iPlocFSJ", ""
	}
	remote := base == "rsync" || base == "scp"
	l := parseOptions(args, short, long)
	from := l.rest
	to, folder := l.get("-t", "--target-directory")
	if folder = folder && !remote; !folder {
		if base == "install" && (len(from) < 2 || l.has("-d", "--directory")) {
			r.touchAll(from)
			return
		}
		if base == "ln" && len(from) == 1 {
			r.touch(arg{s: path.Base(from[0].s)})
		}
		if len(from) < 2 {
			return
		}
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	if remote && strings.Contains(to.s, ":") {
		return
	}
	folder = folder || len(from) > 1 || strings.HasSuffix(to.s, "/") || to.s == "." || to.s == ".."
	r.touch(to)
	for _, a := range from {
		r.copyFile(a, to, folder)
		if base == "mv" {
			r.touch(a)
		}
	}
}

func (r *reader) copyFile(from, to arg, folder bool) {
	text, ok := r.content(from.s)
	name := path.Base(from.s)
	if name != "." && name != ".." && (folder || strings.HasPrefix(name, ".") && !hasMark(name)) {
		to = arg{s: path.Join(to.s, name), glob: from.glob}
		r.touch(to)
	}
	if program := programName(name); program == "git" || shells.Has(program) {
		text, ok = program+` "$@"`, true // a program under another name is a script that calls it
	}
	if ok {
		r.files[r.key(to.s)] = text
	}
}
