package command

import (
	"path"
	"strings"
)

// toucher notes the files that the usual tools write, remove or change.
func (r *reader) toucher(base string, args []arg) bool {
	switch base {
	case "rm", "rmdir", "unlink", "shred", "trash", "srm":
		r.remove(base, args)
	case "mkdir", "mkfifo", "mknod":
		l := parseLine(args, "m", "mode")
		r.touchAll(l.rest)
	case "touch":
		l := parseLine(args, "drt", "date reference time")
		for _, a := range l.rest {
			r.noteTouch(a)
		}
	case "truncate":
		l := parseLine(args, "sr", "size reference")
		r.touchAll(l.rest)
	case "tee", "sponge":
		r.tee(args)
	case "chmod", "chown", "chgrp", "chflags", "chattr", "setfacl":
		r.chmod(args)
	case "cp", "mv", "ln", "install", "rsync", "gcp", "gmv", "ditto", "scp":
		r.copy(strings.TrimPrefix(base, "g"), args)
	case "dd":
		for _, a := range args {
			if name, ok := strings.CutPrefix(a.s, "of="); ok {
				r.touch(arg{s: name})
			}
		}
	case "curl", "wget":
		r.webRequest(args)
		r.outputFile(base, args)
	case "http", "https", "xh":
		r.webRequest(args)
	case "sort", "gsort":
		r.outputFile(base, args)
	default:
		return false
	}
	return true
}

func (r *reader) touchAll(list []arg) {
	for _, a := range list {
		r.touch(a)
	}
}

// remove notes what goes; a whole repository or its .git goes with work in it.
func (r *reader) remove(base string, args []arg) {
	l := parseLine(args, "nsu", "")
	if base == "rm" {
		l = parseLine(args, "", "")
	}
	deep := base == "rm" && l.has("-r", "-R", "--recursive") || base == "trash"
	for _, a := range l.rest {
		if deep && r.holdsWork(a) {
			r.emit(Act{Kind: Discard, Why: "removes a whole folder with its repository", Dir: r.repositoryOf(a)})
		}
		r.touch(a)
	}
}

// holdsWork tells a path that is .git, a folder that the command stands in, or
// everything inside it.
func (r *reader) holdsWork(a arg) bool {
	p := r.abs(a.s)
	if p == "" {
		return false
	}
	if strings.EqualFold(path.Base(p), ".git") {
		return true
	}
	for a.glob && strings.Trim(path.Base(p), "*?.[]!{}") == "" && p != "/" {
		p = path.Dir(p)
	}
	for _, dir := range []string{r.dir, absolute(r.env.Dir)} {
		if dir != "" && (dir == p || p == "/" || strings.HasPrefix(dir, p+"/")) {
			return true
		}
	}
	return false
}

// repositoryOf is the folder whose .git is named; "": the one that the command runs in.
func (r *reader) repositoryOf(a arg) string {
	if p := r.abs(a.s); strings.EqualFold(path.Base(p), ".git") {
		return path.Dir(p)
	}
	return ""
}

func (r *reader) tee(args []arg) {
	l := parseLine(args, "", "")
	f := file{known: untell}
	if text, known := r.stdin.get(); known == tell && !l.has("-a", "--append") {
		f = file{text: text, known: tell}
	}
	for _, a := range l.rest {
		if r.noteTouch(a) {
			r.keep(r.key(a.s), f)
		}
	}
}

// chmod notes files whose text stays; the first argument is the mode or owner.
func (r *reader) chmod(args []arg) {
	var rest []arg
	by := false
	for _, a := range args {
		if strings.HasPrefix(a.s, "--reference") {
			by = true
		}
		// chmod -x file: what looks like an option is the mode.
		if len(a.s) < 2 || a.s[0] != '-' {
			rest = append(rest, a)
		} else if strings.Trim(a.s[1:], "rwxXst") == "" {
			by = true
		}
	}
	if !by && len(rest) > 0 {
		rest = rest[1:]
	}
	for _, a := range rest {
		r.noteTouch(a)
	}
}

// copy notes where files go and, when they are moved, where they came from.
func (r *reader) copy(base string, args []arg) {
	short, long := "tS", "target-directory suffix"
	switch base {
	case "install":
		short, long = "tSmog", "target-directory suffix mode owner group"
	case "rsync":
		short, long = "efTB", "rsh exclude include filter files-from rsync-path temp-dir exclude-from include-from"
	case "scp":
		short, long = "iPlocFSJ", ""
	}
	l := parseLine(args, short, long)
	from := l.rest
	to, given := l.get("-t", "--target-directory")
	switch {
	case base == "rsync" || base == "scp" || !given:
		if len(from) < 2 {
			if base == "ln" && len(from) == 1 {
				r.touch(arg{s: path.Base(from[0].s)})
			}
			if base == "install" {
				r.touchAll(from)
			}
			return
		}
		to, from, given = from[len(from)-1], from[:len(from)-1], false
	}
	if base == "install" && l.has("-d", "--directory") {
		r.touchAll(l.rest)
		return
	}
	if (base == "rsync" || base == "scp") && strings.Contains(to.s, ":") {
		return
	}
	r.place(base, from, to, given)
}

func (r *reader) place(base string, from []arg, to arg, folder bool) {
	folder = folder || len(from) > 1 || strings.HasSuffix(to.s, "/") || to.s == "." || to.s == ".."
	r.touch(to)
	for _, a := range from {
		text, known := r.content(a.s)
		target := to
		if name := path.Base(a.s); name != "." && name != ".." && (folder || strings.HasPrefix(name, ".") && !untold(name)) {
			target = arg{s: path.Join(to.s, name), glob: a.glob}
			r.touch(target)
		}
		if known == tell {
			r.keep(r.key(target.s), file{text: text, known: tell})
		}
		if name := programName(a.s); name == "git" || shells.Has(name) {
			r.link(target, name)
		}
		if base == "mv" {
			r.touch(a)
		}
	}
}

// link remembers a program that was given another name.
func (r *reader) link(to arg, name string) {
	if r.links == nil {
		r.links = map[string]string{}
	}
	r.links[r.key(to.s)] = name
	r.links[r.key(path.Join(to.s, name))] = name
}

func (r *reader) outputFile(base string, args []arg) {
	short, long, opts := "odHXAFuTemxbrcEKwyYzC", "output data header request user-agent form user", []string{"-o", "--output"}
	switch base {
	case "wget":
		short, long, opts = "OPoaiUt", "output-document directory-prefix", []string{"-O", "--output-document"}
	case "sort", "gsort":
		short, long = "okSTt", "output key buffer-size temporary-directory field-separator"
	}
	l := parseLine(args, short, long)
	if a, ok := l.get(opts...); ok && a.s != "-" {
		r.touch(a)
	}
}
