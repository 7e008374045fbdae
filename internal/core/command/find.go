package command

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// removers take files away, or out of reach.
var removers = text.WordSet{List: "rm unlink shred mv chmod chown truncate srm rimraf"}

// find runs a command on files, or removes them.
func (r *reader) find(args []arg) {
	end := slices.IndexFunc(args, func(a arg) bool { return strings.HasPrefix(a.s, "-") || a.s == "!" || a.s == "(" })
	if end < 0 {
		end = len(args)
	}
	roots, pattern := args[:end], "*"
	if len(roots) == 0 {
		roots = []arg{{s: "."}}
	}
	args = args[end:]
	deletes := false
	for i := 0; i < len(args); i++ {
		value := arg{}
		if i+1 < len(args) {
			value = args[i+1]
		}
		negated := i > 0 && (args[i-1].s == "!" || args[i-1].s == "-not")
		switch s := args[i].s; s {
		case "-name", "-iname", "-path", "-wholename", "-ipath":
			if !negated && (strings.HasSuffix(s, "name") && s != "-wholename" || isGuarded(value.s)) {
				pattern = value.s
			}
		case "-delete":
			deletes = true
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			from := i + 1
			for i++; i < len(args) && args[i].s != ";" && args[i].s != "+"; {
				i++
			}
			found := foundFiles(roots[0], pattern, removers.Has(programName(value.s)))
			r.exec(fillHole(args[min(from, len(args)):min(i, len(args))], "{}", found.s))
		}
	}
	for _, root := range roots {
		if deletes {
			r.touch(foundFiles(root, pattern, true))
		}
	}
}

// foundFiles stands for the files below a folder: only the disk tells which. Where
// they are removed and guarded ones may be among them, it is the folder with all
// that is in it.
func foundFiles(root arg, pattern string, removed bool) arg {
	switch {
	case removed && reachesOwnFile(pattern):
		return root
	case pattern == "*" || strings.Contains(pattern, "/"):
		return arg{s: path.Join(root.s, pattern), glob: true}
	}
	return arg{s: path.Join(root.s, "*", pattern), glob: true}
}

// reachesOwnFile tells whether a pattern for names could match a file that only
// warp and git write.
func reachesOwnFile(pattern string) bool {
	if strings.Contains(pattern, "/") {
		return isGuarded(pattern)
	}
	for _, name := range [...]string{".warp-drive-state.json", ".warp-drive-owner.json", ".warp-drive.lock", "settings.json", "settings.local.json",
		"events.jsonl", "HEAD", "config", "packed-refs", "reference-transaction", "pre-push", ".git", ".claude", "state", "hooks", "refs"} {
		if ok, err := path.Match(pattern, name); ok || err != nil {
			return true
		}
	}
	return false
}
