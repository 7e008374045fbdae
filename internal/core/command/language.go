package command

import (
	"strings"

	"warp/internal/core/text"
)

var (
	interpreters = text.WordSet{List: `python node nodejs deno bun perl ruby php lua luajit rscript r tclsh expect osascript pwsh
 powershell groovy julia elixir erl runghc irb ipython scala jshell pypy tsx ts-node guile racket vi vim nvim ex ed emacs gdb`}
	awks = text.WordSet{List: "awk gawk mawk nawk"}
	// carriers hand a text on to a shell, some other time or some other place.
	carriers = text.WordSet{List: "tmux screen at batch crontab ssh mosh parallel watch entr script wish"}
)

// runsText looks at programs that run texts in another language, or elsewhere. Only
// what the command line holds is looked at, and only for a few words: sources talk
// about git more often than they call it, and git's own hooks see what they do.
func (r *reader) runsText(base string, args []arg) bool {
	input, _ := r.input()
	if carriers.Has(base) {
		if nearGit(joinWords(args)) || nearGit(input) {
			r.noteUnknown("a git command is handed on to " + base)
		}
		return true
	}
	language := strings.TrimRight(base, "0123456789.")
	if !interpreters.Has(language) && !awks.Has(base) {
		return false
	}
	optionsOnly := true
	for _, a := range args {
		optionsOnly = optionsOnly && strings.HasPrefix(a.s, "-")
		isPath := !strings.ContainsAny(a.s, " (\n")
		if isPath && !awks.Has(base) {
			r.checkOwnFiles([]arg{a})
		}
		if a.split {
			a.s = strings.ReplaceAll(a.s, markGit, "") // what xargs gives it is no code
		}
		if r.suspectCode(a.s) || isPath && r.suspectCode(r.files[r.key(a.s)]) {
			break
		}
	}
	if optionsOnly {
		r.suspectCode(input)
	}
	if language == "perl" || language == "ruby" {
		r.editInPlace(args, "eEI")
	}
	return true
}

// suspectCode notes code that starts a program and names a change of a repository,
// or that writes a file which only warp and git write.
func (r *reader) suspectCode(code string) bool {
	low := strings.ToLower(code)
	starts := containsAny(low, "system", "popen", "exec", "spawn", "subprocess", "child_process", "run(", "call(", "open3", "%x", "qx",
		"passthru", "shell", "sh(", "!git")
	switch {
	case strings.Contains(code, markGit), starts && nearGit(code):
		r.noteUnknown("a program in another language may run git")
	case namesOwnFile(code) && (starts || writesFiles(low)):
		r.noteUnknown("a program in another language may write a file that only warp and git write")
	default:
		return false
	}
	return true
}

// writesFiles tells code that may change a file, rather than look at it.
func writesFiles(low string) bool {
	return containsAny(low, "write", "'w", `"w`, "'a", `"a`, "r+", "dump", "unlink", "remove",
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
