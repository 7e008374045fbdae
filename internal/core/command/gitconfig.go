package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

var (
	// tamperKeys decide which hooks and settings hold.
	tamperKeys = text.WordSet{List: "core.hookspath include.path core.fsmonitor core.worktree core.bare extensions.worktreeconfig"}
	// remoteKeys decide where a push goes: a section, and the end of a name.
	remoteKeys = text.WordSet{List: "remote.url remote.pushurl remote.pushdefault remote.mirror url.insteadof url.pushinsteadof branch.pushremote"}
)

func tampersWithGit(key string) bool {
	return tamperKeys.Has(key) || strings.HasPrefix(key, "includeif.") || strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "hook.")
}

func movesRemote(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return remoteKeys.Has(section + key[max(strings.LastIndexByte(key, '.'), 0):])
}

// readSetting looks at -c key=value.
func (c *call) readSetting(g *steering, s string) {
	key, val, _ := strings.Cut(s, "=")
	key = strings.ToLower(key)
	section, name, _ := strings.Cut(key, ".")
	switch {
	case hasMark(key):
		g.always = "a setting that is made at run time"
	case section == "alias":
		g.always = "an alias for this call"
		if g.aliases == nil {
			g.aliases = map[string]string{}
		}
		g.aliases[name] = val
	case key == "core.fsmonitor" && (val == "false" || val == ""):
	case tampersWithGit(key):
		g.always = "the setting " + key
		g.global = g.global || key == "core.worktree" || strings.HasPrefix(key, "include")
	case movesRemote(key):
		g.changes = "the setting " + key
	case section == "gc":
		g.prune = true
	case !hasWord("user http commit", section) && mentionsGit(val):
		c.runApart(strings.TrimPrefix(val, "!"), nil) // it may name a program
	}
}

// changeSettings looks at what git config writes.
func changeSettings(c *call) {
	words, verb := c.rest, c.first()
	file, toFile := c.get("-f", "--file")
	global := toFile || c.has("--global", "--system")
	writes := c.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section") || len(words) > 1
	switch {
	case c.hasExactly("-l", "--list") || slices.ContainsFunc(c.opts, func(o option) bool { return strings.HasPrefix(o.name, "--get") }):
		return
	case verb == "edit" || c.has("-e", "--edit"):
		c.emit(Act{Kind: Tamper, Why: "edits git's settings by hand", Global: global})
		return
	case hasWord("set unset rename-section remove-section", verb):
		words = words[1:]
	case !writes || hasWord("get get-all list", verb):
		return
	}
	if len(words) == 0 {
		return
	}
	key := strings.ToLower(words[0])
	if len(words) > 1 && movesRemote(key) && !strings.HasPrefix(key, "url.") {
		c.addRemote(words[1])
	}
	if hasMark(key) || hasWord("core include alias hook core.sshcommand", key) || tampersWithGit(key) || movesRemote(key) {
		c.emit(Act{Kind: Tamper, Why: "changes the setting " + strings.Trim(key, allMarks), Global: global})
	}
	if toFile {
		c.touch(file)
	}
}

// addRemote remembers an address that a repository gets for a remote.
func (c *call) addRemote(url string) {
	if p := c.abs(url); p != "" && !strings.Contains(url, ":") {
		url = p
	}
	c.remotes = append(c.remotes, url)
}

// nameRemote remembers the address in git remote add NAME URL.
func nameRemote(c *call) {
	if len(c.rest) > 2 {
		c.addRemote(c.rest[2])
	}
}

func cloneRemote(c *call) {
	if len(c.rest) > 0 {
		c.addRemote(c.first())
	}
}
