package command

import (
	"path"
	"slices"
	"strings"
)

// touchRule says which files a program writes or changes: those of its arguments or,
// where output is set, those that an option names.
type touchRule struct {
	names, valued, output string
}

var touchRules = [...]touchRule{
	{names: "mkdir mkfifo mknod", valued: "m mode"},
	{names: "touch", valued: "drt date reference time"},
	{names: "truncate", valued: "sr size reference"},
	{names: "curl", valued: "odHXAFuTemxbrcEKwyYzC output data header request user-agent form user", output: "-o --output"},
	{names: "wget", valued: "OPoaiUt output-document directory-prefix", output: "-O --output-document"},
	{names: "sort gsort", valued: "okSTt output key buffer-size temporary-directory field-separator", output: "-o --output"},
}

// touches notes the files that the usual tools write, remove or change.
func (r *reader) touches(base string, args []arg) bool {
	switch base {
	case "rm", "rmdir", "unlink", "shred", "trash", "srm":
		r.remove(base, args)
	case "tee", "sponge":
		l := parseOptions(args, "")
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
		r.editInPlace(args, "efl expression file line-length")
	case "http", "https", "xh":
		r.webRequest(args)
	default:
		return r.applyTouchRule(base, args)
	}
	return true
}

func (r *reader) applyTouchRule(base string, args []arg) bool {
	for _, rule := range touchRules {
		if !slices.Contains(strings.Fields(rule.names), base) {
			continue
		}
		l := parseOptions(args, rule.valued)
		if rule.output == "" {
			r.touchAll(l.rest)
		} else if a, ok := l.get(strings.Fields(rule.output)...); ok && a.s != "-" {
			r.touch(a)
		}
		if base == "curl" || base == "wget" {
			r.webRequest(args)
		}
		return true
	}
	return false
}

// editInPlace notes the files that sed -i and perl -i change: all arguments, but
// for the script.
func (r *reader) editInPlace(args []arg, valued string) {
	l := parseOptions(args, valued)
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
	valued := "nsu"
	if base == "rm" {
		valued = ""
	}
	l := parseOptions(args, valued)
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
	valued := "tS target-directory suffix"
	switch base {
	case "install":
		valued = "tSmog target-directory suffix mode owner group"
	case "rsync":
		valued = "efTB rsh exclude include filter files-from rsync-path temp-dir exclude-from include-from"
	case "scp":
		valued = "iPlocFSJ"
	}
	remote := base == "rsync" || base == "scp"
	l := parseOptions(args, valued)
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
