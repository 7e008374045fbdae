package command

import (
	"strings"

	"warp/internal/core/text"
)

var (
	interpreters = text.WordSet{List: `python node nodejs deno bun perl ruby php lua luajit rscript r tclsh expect osascript pwsh
 powershell groovy julia elixir erl runghc irb ipython scala jshell pypy tsx ts-node guile racket vi vim nvim ex ed emacs gdb awk gawk mawk nawk`}
	// carriers hand a text on to a shell, some other time or some other place.
	carriers = text.WordSet{List: "tmux screen at batch crontab ssh mosh parallel watch entr script wish"}
)

// runsText looks at programs that run texts in another language, or elsewhere. What
// they do with a text is not read: one that the command line holds, and that names git
// with a change or a file that only warp and git write, is Unknown. Git's own hooks see
// the rest.
func (r *reader) runsText(base string, args []arg) bool {
	language := strings.TrimRight(base, "0123456789.")
	carries := carriers.Has(base)
	if !carries && !interpreters.Has(language) {
		return false
	}
	code, _ := r.input()
	optionsOnly := true
	for _, a := range args {
		optionsOnly = optionsOnly && strings.HasPrefix(a.s, "-")
	}
	if !carries && !optionsOnly {
		code = "" // it is data
	}
	writes := false
	for _, a := range args {
		writes = writes || namesOwnFile(a.s) && !strings.ContainsAny(a.s, " (\n") && !strings.HasSuffix(language, "awk")
		if a.split {
			a.s = strings.ReplaceAll(a.s, markGit, "") // what xargs gives it is no code
		}
		code += " " + a.s + " " + r.files[r.key(a.s)]
	}
	switch {
	case writes, namesOwnFile(code) && (startsProgram(code) || writesFiles(code)):
		r.noteUnknown(base + " is given a file that only warp and git write")
	case strings.Contains(code, markGit), nearGit(code) && (carries || startsProgram(code)):
		r.noteUnknown("a git command is handed on to " + base)
	}
	if language == "perl" || language == "ruby" {
		r.editInPlace(args, "eEI")
	}
	return true
}

// startsProgram tells code that may run a program: code names git more often than it
// calls it.
func startsProgram(code string) bool {
	return containsAny(strings.ToLower(code), "system", "popen", "exec", "spawn", "subprocess", "run(", "call(", "open3", "%x", "qx", "passthru", "shell", "sh(", "!git")
}

// writesFiles tells code that may change a file, rather than look at it.
func writesFiles(code string) bool {
	return containsAny(strings.ToLower(code), "write", "'w", `"w`, "'a", `"a`, "r+", "dump", "unlink", "remove",
		"rename", "replace", "rmtree", "rmsync", "rmdir", "copy", "move", "chmod", "truncate", "link", "mkdir", "touch", "append", `">`, "'>", `> "`, "put")
}

// isGuarded tells a path with a part that is git's or the agent's.
func isGuarded(p string) bool {
	for part := range strings.SplitSeq(strings.ToLower(p), "/") {
		if part == ".git" || part == ".claude" || part == ".gitconfig" || strings.HasPrefix(part, ".w") && (strings.ContainsAny(part, "*?[") || strings.HasPrefix(part, ".warp-drive")) {
			return true
		}
	}
	return false
}

// namesOwnFile tells a text that names a file which only warp and git write.
func namesOwnFile(text string) bool {
	return containsAny(strings.ToLower(text), ".warp-drive", ".claude/state", ".claude/settings", ".claude/locks", ".git/hooks", ".git/refs", ".git/config",
		".git/head", ".git/warp", "packed-refs", "/state/warp/")
}

// checkOwnFiles notes a program that may write files, and is given one that only
// warp and git write.
func (r *reader) checkOwnFiles(args []arg) {
	for _, a := range args {
		if namesOwnFile(a.s) {
			r.noteUnknown("a program is given a file that only warp and git write")
			return
		}
	}
}
