package command

import (
	"path"
	"strings"

	"warp/internal/core/lexicon"
)

// removers take files away, or out of reach.
var removers = lexicon.Set{List: "rm unlink shred mv chmod chown truncate srm rimraf"}

// find runs a command on files, or removes them.
func (r *reader) find(args []arg) {
	var roots []arg
	pattern, deletes := "*", false
	for i := 0; i < len(args) && !strings.HasPrefix(args[i].s, "-") && args[i].s != "!" && args[i].s != "("; i++ {
		roots = append(roots, args[i])
	}
	if len(roots) == 0 {
		roots = []arg{{s: "."}}
	}
	for i := len(roots); i < len(args); i++ {
		negated := i > 0 && (args[i-1].s == "!" || args[i-1].s == "-not")
		switch s := args[i].s; s {
		case "-name", "-iname":
			if i+1 < len(args) && !negated {
				pattern = args[i+1].s
			}
		case "-path", "-wholename", "-ipath":
			if i+1 < len(args) && !negated && guarded(args[i+1].s) {
				pattern = args[i+1].s
			}
		case "-delete":
			deletes = true
		case "-fprint", "-fls", "-fprintf", "-fprint0":
			if i+1 < len(args) {
				r.touch(args[i+1])
			}
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			hole := found(roots[0], pattern)
			if reachesOwn(pattern) && i+1 < len(args) && removers.Has(programName(args[i+1].s)) {
				hole = arg{s: roots[0].s} // the folder with all that is in it
			}
			i = r.findExec(args, i+1, hole)
		}
	}
	for _, root := range roots {
		switch {
		case deletes && reachesOwn(pattern):
			r.touch(root) // the folder with all that is in it
		case deletes:
			r.touch(found(root, pattern))
		}
	}
}

// reachesOwn tells whether a pattern for names could match a file that only
// warp and git write.
func reachesOwn(pattern string) bool {
	if strings.Contains(pattern, "/") {
		return guarded(pattern)
	}
	for _, name := range [...]string{".warp-drive-state.json", ".warp-drive-owner.json", ".warp-drive.lock", "settings.json", "settings.local.json",
		"events.jsonl", "HEAD", "config", "packed-refs", "reference-transaction", "pre-push", ".git", ".claude", "state", "hooks", "refs"} {
		if ok, err := path.Match(pattern, name); ok || err != nil {
			return true
		}
	}
	return false
}

// found stands for the files below a folder: which ones, only the disk tells.
func found(root arg, pattern string) arg {
	if pattern == "*" || strings.Contains(pattern, "/") {
		return arg{s: path.Join(root.s, pattern), glob: true}
	}
	return arg{s: path.Join(root.s, "*", pattern), glob: true}
}

func (r *reader) findExec(args []arg, from int, hole arg) int {
	end := from
	for end < len(args) && args[end].s != ";" && args[end].s != "+" {
		end++
	}
	if from < end {
		list := make([]arg, 0, end-from)
		for _, a := range args[from:end] {
			a.s = strings.ReplaceAll(a.s, "{}", hole.s)
			list = append(list, a)
		}
		r.exec(list)
	}
	return end
}
