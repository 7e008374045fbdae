package command

import (
	"path"
	"strings"
)

// config looks at what git config writes.
func (r *reader) config(rest []arg) {
	l := parseLine(rest, "ftT", "file blob type default comment value")
	if l.exact("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l", "--list") {
		return
	}
	words := l.rest
	writes := l.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section")
	_, file := l.get("-f", "--file")
	global := file || l.has("--global", "--system")
	if l.has("-e", "--edit") {
		r.emit(Act{Kind: Tamper, Why: "edits git's settings by hand", Global: global})
		return
	}
	switch l.first().s {
	case "get", "list", "get-all":
		return
	case "edit":
		r.emit(Act{Kind: Tamper, Why: "edits git's settings by hand", Global: global})
		return
	case "set", "unset", "rename-section", "remove-section":
		writes, words = true, words[1:]
	default:
		writes = writes || len(words) > 1
	}
	if !writes || len(words) == 0 {
		return
	}
	if len(words) > 1 {
		r.noteRemote(strings.ToLower(words[0].s), words[1].s)
	}
	r.configKey(words[0].s, global)
	if name, ok := l.get("-f", "--file"); ok {
		r.touch(name)
	}
}

// configKey notes a setting, or a whole section, that decides which hooks run.
func (r *reader) configKey(key string, global bool) {
	key = strings.ToLower(key)
	section, _, dotted := strings.Cut(key, ".")
	whole := !dotted && (section == "core" || section == "include" || section == "alias" || section == "hook")
	switch {
	case untold(key):
		r.emit(Act{Kind: Tamper, Why: "a setting that is made at run time", Global: global})
	case whole || tampers(key) || movesRemote(key) || key == "core.sshcommand":
		r.emit(Act{Kind: Tamper, Why: "changes the setting " + key, Global: global})
	}
}

// noteRemote remembers an address that a repository gets for a remote.
func (r *reader) noteRemote(key, url string) {
	if movesRemote(key) && !strings.HasPrefix(key, "url.") {
		r.addRemote(r.dir, url)
	}
}

func (r *reader) addRemote(dir, url string) {
	if dir == "" || url == "" {
		return
	}
	if !strings.Contains(url, ":") && r.abs(url) != "" {
		url = r.abs(url)
	}
	if r.remotes == nil {
		r.remotes = map[string][]string{}
	}
	r.remotes[dir] = append(r.remotes[dir], url)
}

// remote looks at what changes where a remote is.
func (r *reader) remote(rest []arg) {
	l := parseLine(rest, "tm", "")
	words := l.rest
	switch l.first().s {
	case "set-url", "rename", "remove", "rm":
		r.emit(Act{Kind: Tamper, Why: "changes where a remote is"})
	case "add":
	default:
		return
	}
	if len(words) > 2 {
		r.addRemote(r.dir, words[2].s)
	}
}

// clone remembers where a clone was taken from.
func (r *reader) clone(rest []arg) {
	l := parseLine(rest, "obucj", "origin branch upload-pack config reference reference-if-able separate-git-dir depth jobs template shallow-since shallow-exclude filter")
	if len(l.rest) == 0 {
		return
	}
	from := l.rest[0].s
	to := strings.TrimSuffix(path.Base(strings.TrimSuffix(strings.TrimSuffix(from, "/"), "/.git")), ".git")
	if i := strings.LastIndexByte(to, ':'); i >= 0 {
		to = to[i+1:]
	}
	if len(l.rest) > 1 {
		to = l.rest[1].s
	}
	r.addRemote(r.abs(to), from)
}
