package command

import (
	"path"
	"strings"
)

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
			i = r.findExec(args, i+1, found(roots[0], pattern))
		}
	}
	for _, root := range roots {
		if deletes {
			r.touch(found(root, pattern))
		}
	}
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
