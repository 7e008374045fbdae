package command

import (
	"path"
	"slices"
	"strings"
)

// runCode checks programs that run code in another language, without reading that code: a text on
// the command line that names git with a change, or a file that only warp and git write, and that
// may run a program or write a file, is Unknown. Git's own hooks see the rest.
func runCode(c *call) {
	code := joinWords(c.args)
	if !slices.ContainsFunc(c.args, func(a string) bool { return !strings.HasPrefix(a, "-") }) {
		code += " " + c.stdin // otherwise it is data
	}
	low := strings.ToLower(code)
	runs := containsAny(low, "system", "popen", "exec", "spawn", "subprocess", "run(", "call(", "open3", "%x", "qx", "passthru", "shell", "sh(", "!git")
	writes := containsAny(low, "write", "'w", `"w`, "'a", `"a`, "r+", "dump", "unlink", "remove",
		"rename", "replace", "rmtree", "rmsync", "rmdir", "copy", "move", "chmod", "truncate", "link", "mkdir", "touch", "append", `">`, "'>", `> "`, "put")
	given := slices.ContainsFunc(c.args, func(a string) bool { return namesOwnFile(a) && !strings.ContainsAny(a, " (\n") })
	switch {
	case given && !strings.HasSuffix(c.name, "awk"), namesOwnFile(code) && (runs || writes):
		c.noteUnknown(c.name + " is given a file that only warp and git write")
	case strings.Contains(strings.NewReplacer(markGit+markSplit, "", markGit+markList+markSplit, "").Replace(code), markGit), // split arguments are no code
		nearGit(code) && runs:
		c.noteUnknown("a git command is passed to " + c.name)
	}
	if c.valued != "" {
		editInPlace(c)
	}
}

// carryCode checks programs that pass a text to a shell, later or elsewhere.
func carryCode(c *call) {
	c.args = append(slices.Clone(c.args), c.stdin)
	if code := joinWords(c.args); strings.Contains(code, markGit) || nearGit(code) {
		c.noteUnknown("a git command is passed to " + c.name)
	} else {
		c.suspectArguments(true)
	}
}

// isGuarded reports whether a path has a component of git's or the agent's.
func isGuarded(p string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(p), "/"), func(part string) bool {
		return hasWord(".git .claude .gitconfig", part) || strings.HasPrefix(part, ".w") && (hasPattern(part) || strings.HasPrefix(part, ".warp-drive"))
	})
}

// namesOwnFile reports whether a text names a file that only warp and git write.
func namesOwnFile(text string) bool {
	return containsAny(strings.ToLower(text), ".warp-drive", ".claude/state", ".claude/settings", ".claude/locks", ".git/hooks", ".git/refs", ".git/config",
		".git/head", ".git/warp", "packed-refs", "/state/warp/")
}

// reachesOwnFile reports whether a pattern for names or paths could match a file that only warp and
// git write.
func reachesOwnFile(pattern string) bool {
	return isGuarded(pattern) || slices.ContainsFunc(strings.Fields(`.warp-drive-state.json .warp-drive-owner.json .warp-drive.lock settings.json
 settings.local.json events.jsonl HEAD config packed-refs reference-transaction pre-push .git .claude state hooks refs`), func(name string) bool {
		ok, err := path.Match(path.Base(pattern), name)
		return ok || err != nil
	})
}
