package command

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

var (
	// tamperKeys decide which hooks and settings hold.
	tamperKeys = text.WordSet{List: "core.hookspath include.path core.fsmonitor core.worktree core.bare extensions.worktreeconfig"}
	// remoteKeys decide where a push goes: a section, and the end of a name.
	remoteKeys = text.WordSet{List: "remote.url remote.pushurl remote.pushdefault remote.mirror url.insteadof url.pushinsteadof branch.pushremote"}
	// runKeys are settings, and sections of settings, whose value is run.
	runKeys = text.WordSet{List: `core.editor core.pager core.sshcommand core.askpass sequence.editor core.gitproxy core.alternaterefscommand
 uploadpack.packobjectshook interactive.difffilter pager filter diff merge difftool mergetool trailer gpg credential remote browser man`}
)

func tampersWithGit(key string) bool {
	return tamperKeys.Has(key) || strings.HasPrefix(key, "includeif.") || strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "hook.")
}

func movesRemote(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return remoteKeys.Has(section + key[max(strings.LastIndexByte(key, '.'), 0):])
}

// setting looks at -c key=value.
func (r *reader) setting(g *gitCall, s string) {
	key, val, _ := strings.Cut(s, "=")
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	switch {
	case hasMark(key):
		g.always = "a setting that is made at run time"
	case section == "alias":
		g.always = "an alias for this call"
		if g.aliases == nil {
			g.aliases = map[string]string{}
		}
		g.aliases[strings.TrimPrefix(key, "alias.")] = val
	case key == "core.fsmonitor" && (val == "false" || val == ""):
	case tampersWithGit(key):
		g.always = "the setting " + key
		g.global = g.global || key == "core.worktree" || strings.HasPrefix(key, "include")
	case movesRemote(key):
		g.changes = "the setting " + key
	case section == "gc":
		g.prune = true
	case (runKeys.Has(key) || runKeys.Has(section)) && mentionsGit(val):
		r.runApart(strings.TrimPrefix(val, "!"), nil)
	}
}

// config looks at what git config writes.
func (r *reader) config(rest []arg) {
	l := parseOptions(rest, "ftT file blob type default comment value")
	words := l.rest
	writes := l.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section") || len(words) > 1
	file, toFile := l.get("-f", "--file")
	global := toFile || l.has("--global", "--system")
	verb := l.first()
	switch {
	case l.hasExactly("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool", "-l", "--list"):
		return
	case verb == "edit" || l.has("-e", "--edit"):
		r.emit(Act{Kind: Tamper, Why: "edits git's settings by hand", Global: global})
		return
	case slices.Contains([]string{"get", "list", "get-all"}, verb):
		return
	case slices.Contains([]string{"set", "unset", "rename-section", "remove-section"}, verb):
		writes, words = true, words[1:]
	}
	if !writes || len(words) == 0 {
		return
	}
	key := strings.ToLower(words[0].s)
	if len(words) > 1 && movesRemote(key) && !strings.HasPrefix(key, "url.") {
		r.addRemote(r.dir, words[1].s)
	}
	switch {
	case hasMark(key):
		r.emit(Act{Kind: Tamper, Why: "a setting that is made at run time", Global: global})
	case key == "core" || key == "include" || key == "alias" || key == "hook" || tampersWithGit(key) || movesRemote(key) || key == "core.sshcommand":
		r.emit(Act{Kind: Tamper, Why: "changes the setting " + key, Global: global})
	}
	if toFile {
		r.touch(file)
	}
}

// addRemote remembers an address that a repository gets for a remote.
func (r *reader) addRemote(dir, url string) {
	if dir == "" || url == "" {
		return
	}
	if !strings.Contains(url, ":") && r.abs(url) != "" {
		url = r.abs(url)
	}
	r.remotes[dir] = append(r.remotes[dir], url)
}

// clone remembers where a clone was taken from.
func (r *reader) clone(rest []arg) {
	l := parseOptions(rest, "obucj origin branch upload-pack config reference reference-if-able separate-git-dir depth jobs template shallow-since shallow-exclude filter")
	if len(l.rest) == 0 {
		return
	}
	from := l.first()
	to := strings.TrimSuffix(path.Base(strings.TrimSuffix(strings.TrimSuffix(from, "/"), "/.git")), ".git")
	to = to[strings.LastIndexByte(to, ':')+1:]
	if len(l.rest) > 1 {
		to = l.rest[1].s
	}
	r.addRemote(r.abs(to), from)
}
