package command

import (
	"path"
	"slices"
	"strings"
)

// runCode checks programs that run code in another language, without reading that code: a text on
// the command line that names git with a change, or a file that only warp and git write, is
// Unknown. Git's own hooks see the rest.
func runCode(c *call) { c.checkCode(false) }

// carryCode checks programs that pass a text to a shell, later or elsewhere.
func carryCode(c *call) { c.checkCode(true) }

func (c *call) checkCode(carries bool) {
	code := c.stdin
	if !carries && slices.ContainsFunc(c.args, func(a string) bool { return !strings.HasPrefix(a, "-") }) {
		code = "" // stdin is data
	}
	writes := false
	for _, a := range c.args {
		writes = writes || namesOwnFile(a) && !strings.ContainsAny(a, " (\n") && !strings.HasSuffix(c.name, "awk")
		file := c.files[c.key(a)]
		if maySplit(a) {
			a = strings.ReplaceAll(a, markGit, "") // arguments from xargs are not code
		}
		code += " " + a + " " + file
	}
	switch {
	case writes, namesOwnFile(code) && (startsProgram(code) || writesFiles(code)):
		c.noteUnknown(c.name + " is given a file that only warp and git write")
	case strings.Contains(code, markGit), nearGit(code) && (carries || startsProgram(code)):
		c.noteUnknown("a git command is handed on to " + c.name)
	case carries:
		c.args = append(slices.Clone(c.args), c.stdin)
		c.suspectArguments(isJudged, true)
	}
	if c.valued != "" {
		editInPlace(c)
	}
}

// startsProgram reports whether code may run a program. Code names git more often than it calls it.
func startsProgram(code string) bool {
	return containsAny(strings.ToLower(code), "system", "popen", "exec", "spawn", "subprocess", "run(", "call(", "open3", "%x", "qx", "passthru", "shell", "sh(", "!git")
}

// writesFiles reports whether code may change a file.
func writesFiles(code string) bool {
	return containsAny(strings.ToLower(code), "write", "'w", `"w`, "'a", `"a`, "r+", "dump", "unlink", "remove",
		"rename", "replace", "rmtree", "rmsync", "rmdir", "copy", "move", "chmod", "truncate", "link", "mkdir", "touch", "append", `">`, "'>", `> "`, "put")
}

// isGuarded reports whether a path has a component of git's or the agent's.
func isGuarded(p string) bool {
	for part := range strings.SplitSeq(strings.ToLower(p), "/") {
		if part == ".git" || part == ".claude" || part == ".gitconfig" || strings.HasPrefix(part, ".w") && (hasPattern(part) || strings.HasPrefix(part, ".warp-drive")) {
			return true
		}
	}
	return false
}

// namesOwnFile reports whether a text names a file that only warp and git write.
func namesOwnFile(text string) bool {
	return containsAny(strings.ToLower(text), ".warp-drive", ".claude/state", ".claude/settings", ".claude/locks", ".git/hooks", ".git/refs", ".git/config",
		".git/head", ".git/warp", "packed-refs", "/state/warp/")
}

// reachesOwnFile reports whether a pattern for names or paths could match a file that only warp and
// git write.
func reachesOwnFile(pattern string) bool {
	for _, name := range [...]string{".warp-drive-state.json", ".warp-drive-owner.json", ".warp-drive.lock", "settings.json", "settings.local.json",
		"events.jsonl", "HEAD", "config", "packed-refs", "reference-transaction", "pre-push", ".git", ".claude", "state", "hooks", "refs"} {
		if ok, err := path.Match(path.Base(pattern), name); ok || err != nil {
			return true
		}
	}
	return isGuarded(pattern)
}
