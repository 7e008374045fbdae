package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// noSuchCommand begins the reason for a word that is no git command.
const noSuchCommand = "git has no command"

var (
	// steers are variables that make git use other settings, programs or hooks.
	steers = text.WordSet{List: `GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH
 GIT_TEMPLATE_DIR`}
	// moves are variables that matter only to commands that change a repository.
	moves = text.WordSet{List: `GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_INDEX_FILE
 GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_REPLACE_REF_BASE HOME XDG_CONFIG_HOME LD_PRELOAD
 HUSKY HUSKY_SKIP_HOOKS LEFTHOOK OVERCOMMIT_DISABLE`}
	// harmless are git commands without a rule, which neither make commits nor move branches nor
	// lose work.
	harmless = text.WordSet{List: `add annotate archimport archive backfill blame bugreport bundle cat-file check-attr check-ignore
 check-mailmap check-ref-format cherry column commit-graph count-objects credential credential-cache
 credential-cache--daemon credential-store credential-osxkeychain credential-manager daemon describe diagnose
 diff-pairs diff-tree fast-export fetch-pack fmt-merge-msg for-each-ref format-patch fsck
 fsck-objects fsmonitor--daemon get-tar-commit-id grep gui hash-object help hook http-backend http-fetch imap-send
 index-pack init init-db instaweb interpret-trailers last-modified log ls-files ls-remote ls-tree mailinfo mailsplit
 maintenance merge-base merge-file merge-index merge-octopus merge-one-file merge-ours merge-recursive
 merge-recursive-ours merge-recursive-theirs merge-resolve merge-subtree merge-tree mergetool mktag mktree
 multi-pack-index name-rev notes pack-objects pack-redundant pack-refs patch-id pickaxe prune-packed range-diff
 receive-pack remote-ext remote-fd remote-ftp remote-ftps remote-http remote-https repack repo request-pull
 rerere rev-list rev-parse scalar send-email sh-i18n--envsubst shortlog show show-branch show-index show-ref
 sparse-checkout stage status stripspace unpack-file unpack-objects update-index update-server-info upload-archive
 upload-archive--writer upload-pack var verify-commit verify-pack verify-tag version web--browse whatchanged
 write-tree lfs gitk gitweb difftool--helper env--helper checkout--worker add--interactive bisect--helper`}
	// tamperKeys decide which hooks and settings apply.
	tamperKeys = text.WordSet{List: "core.hookspath include.path core.fsmonitor core.worktree core.bare extensions.worktreeconfig"}
	// remoteKeys decide where a push goes: a section and the last part of a key.
	remoteKeys = text.WordSet{List: "remote.url remote.pushurl remote.pushdefault remote.mirror url.insteadof url.pushinsteadof branch.pushremote"}
)

func steersGit(name string) bool {
	return steers.Has(name) || moves.Has(name) ||
		strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// steering collects what the options and variables before git's command change.
type steering struct {
	always  string // a reason to call it tampering in any case
	changes string // a reason if the command changes something
	global  bool   // it may be about another repository
	alias   string // the alias that this call alone gives the command
}

func runGit(c *call) {
	dir := c.dir
	defer func() { c.dir = dir }()
	var g steering
	for _, o := range c.opts {
		switch o.name {
		case "-C":
			if o.val != "" {
				c.chdir(o.val)
			}
		case "-c":
			c.readSetting(&g, o.val)
		case "--config-env":
			g.always = "a setting from the environment"
		case "--exec-path":
			if o.val != "" {
				g.always = "git's programs from another folder"
			}
		case "--git-dir", "--work-tree", "--namespace":
			g.changes, g.global = "another repository or folder than the one at hand", true
		case "--help", "-h", "--version", "-v", "--html-path", "--man-path", "--info-path", "--list-cmds":
			return
		default:
			if hasMark(o.name) {
				c.noteUnknown("an option of git is made at run time")
				return
			}
		}
	}
	if len(c.rest) > 0 {
		c.runSteered(g, c.rest[0], c.rest[1:])
	}
}

// runSteered checks git's command and puts any tampering before its acts.
func (c *call) runSteered(g steering, sub string, rest []string) {
	for name, v := range c.vars {
		switch {
		case !v.exported || !steersGit(name):
			continue
		case moves.Has(name):
			g.changes = max(g.changes, name+" is set")
		default:
			g.always = max(g.always, name+" is set")
		}
		g.global = true
	}
	n := len(c.acts)
	if g.alias != "" {
		c.runAlias("git", sub, g.alias, rest)
	} else {
		c.subcommand(sub, rest)
	}
	why := g.always
	if why == "" && slices.ContainsFunc(c.acts[n:], func(a Act) bool { return a.Kind != Touch && a.Kind != Tamper }) {
		why = g.changes
	}
	if why != "" {
		c.acts = slices.Insert(c.acts, n, Act{Kind: Tamper, Words: c.words, Why: why, Dir: c.dir, Global: g.global})
	}
}

func (c *call) subcommand(sub string, rest []string) {
	defer c.enter()()
	switch {
	case hasMark(sub) || hasPattern(sub):
		c.noteUnknown("git's command is made at run time")
	case len(rest) == 1 && (rest[0] == "--help" || rest[0] == "-h"), c.applyRules(sub, rest), harmless.Has(sub):
	default:
		// Git runs !text at the top of the repository, which is still the same repository.
		if text, ok := c.env.Alias("git", sub); ok {
			c.runAlias("git", sub, text, rest)
		} else {
			c.noteUnknown(noSuchCommand + " " + sub)
		}
	}
}

// printGitFolder prints a path into git's folder: its place is unknown, but it is guarded.
func printGitFolder(c *call) {
	if file, ok := c.get("--git-path"); ok {
		c.print(mark + "/.git/" + file)
	} else if c.has("--git-dir", "--git-common-dir", "--absolute-git-dir") {
		c.print(mark + "/.git")
	}
}

func tampersWithGit(key string) bool {
	return tamperKeys.Has(key) || strings.HasPrefix(key, "includeif.") || strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "hook.")
}

func movesRemote(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return remoteKeys.Has(section + key[max(strings.LastIndexByte(key, '.'), 0):])
}

// readSetting checks -c key=value.
func (c *call) readSetting(g *steering, s string) {
	key, val, _ := strings.Cut(s, "=")
	key = strings.ToLower(key)
	section, name, _ := strings.Cut(key, ".")
	switch {
	case hasMark(key):
		g.always = "a setting that is made at run time"
	case section == "alias":
		if g.always = "an alias for this call"; strings.EqualFold(name, c.first()) {
			g.alias = val
		}
	case key == "core.fsmonitor" && (val == "false" || val == ""):
	case tampersWithGit(key):
		g.always = "the setting " + key
		g.global = g.global || key == "core.worktree" || strings.HasPrefix(key, "include")
	case movesRemote(key):
		g.changes = "the setting " + key
	case section == "gc" && hasWord("gc maintenance", c.first()):
		c.emit(Act{Kind: Discard, Why: "prunes what nothing refers to"})
	case !hasWord("user http commit gc", section) && (!hasMark(val) || mentionsGit(val)):
		c.capture(func() { c.runInSubshell(strings.TrimPrefix(val, "!"), nil) }) // the value may name a program
	}
}

// changeSettings checks what git config writes.
func changeSettings(c *call) {
	words, verb := c.rest, c.first()
	file, toFile := c.get("-f", "--file")
	global := toFile || c.has("--global", "--system")
	reads := hasWord("get get-all list", verb) || c.hasExactly("-l", "--list") ||
		slices.ContainsFunc(c.opts, func(o option) bool { return strings.HasPrefix(o.name, "--get") })
	writes := len(words) > 1 || c.has("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section")
	if hasWord("set unset rename-section remove-section", verb) {
		words = words[1:]
	}
	switch {
	case !reads && (verb == "edit" || c.has("-e", "--edit")):
		c.emit(Act{Kind: Tamper, Why: "edits git's settings by hand", Global: global})
		return
	case reads || !writes || len(words) == 0:
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

// addRemote records an address that the text gives to a remote.
func (c *call) addRemote(url string) {
	if p := c.abs(url); p != "" && !strings.Contains(url, ":") {
		url = p
	}
	c.remotes = append(c.remotes, url)
}

// cloneRemote records the address in git clone URL and git remote add NAME URL.
func cloneRemote(c *call) {
	at := 0
	if c.name == "remote" {
		at = 2
	}
	if at < len(c.rest) {
		c.addRemote(c.rest[at])
	}
}
