package command

import "strings"

// config looks at what git config writes.
func (r *reader) config(rest []arg) {
	l := parseLine(rest, "ftT", "file blob type default comment value")
	if l.exact("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l", "--list") {
		return
	}
	words := l.rest
	writes := l.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section")
	if l.has("-e", "--edit") {
		r.emit(Act{Kind: Tamper, Why: "edits git's settings by hand"})
		return
	}
	switch l.first().s {
	case "get", "list", "get-all":
		return
	case "edit":
		r.emit(Act{Kind: Tamper, Why: "edits git's settings by hand"})
		return
	case "set", "unset", "rename-section", "remove-section":
		writes, words = true, words[1:]
	default:
		writes = writes || len(words) > 1
	}
	if !writes || len(words) == 0 {
		return
	}
	r.configKey(words[0].s)
	if name, ok := l.get("-f", "--file"); ok {
		r.touch(name)
	}
}

// configKey notes a setting, or a whole section, that decides which hooks run.
func (r *reader) configKey(key string) {
	key = strings.ToLower(key)
	section, _, dotted := strings.Cut(key, ".")
	whole := !dotted && (section == "core" || section == "include" || section == "alias" || section == "hook")
	switch {
	case untold(key):
		r.emit(Act{Kind: Tamper, Why: "a setting that is made at run time"})
	case whole || tampers(key) || key == "core.sshcommand":
		r.emit(Act{Kind: Tamper, Why: "changes the setting " + key})
	}
}
