package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Marks replace parts of a word that are made at run time. No argument can contain a NUL; the other
// marks in a text only make it count as unknown.
const (
	mark     = dynamic
	markGit  = "\x01" // made from something near git or guarded, or by a decoder
	markSafe = "\x02" // the output of a tool that prints settings for eval
	// markSplit follows an unquoted mark: it may be several arguments, or none.
	markSplit = "\x03"
	// markList follows the mark for a command's output: it may be many names, while an unquoted
	// variable is mostly one.
	markList = "\x04"
	allMarks = mark + markGit + markSafe + markSplit + markList
)

func hasMark(s string) bool  { return strings.ContainsAny(s, allMarks) }
func maySplit(s string) bool { return strings.Contains(s, markSplit) }

// markOf returns the mark for one of these texts, or a text that is made of them: /tmp/github is not
// git's.
func markOf(list ...string) string {
	isMany := func(s string) bool {
		return s == "." || s == ".." || hasPattern(s) || strings.HasSuffix(s, "/") || strings.ContainsAny(s, " \t\n"+markList)
	}
	m, all := mark, joinWords(list)
	if namesGit(all) || containsAny(all, markGit, ".claude") {
		m = markGit
	}
	if slices.ContainsFunc(list, isMany) {
		m += markList
	}
	return m
}

// spellMarks replaces the marks in a text by variables, so that they survive parsing.
func spellMarks(text string) string {
	return strings.NewReplacer(mark+markList, "${_unknownlist}", mark, "${_unknown}", markGit+markList, "${_unknowngitlist}", markGit, "${_unknowngit}",
		markSafe, "", markSplit, "", markList, "").Replace(text)
}

// mentionsGit casts the widest net: the three letters, anywhere.
func mentionsGit(s string) bool { return strings.Contains(strings.ToLower(s), "git") }

// mentionsGuarded reports whether a text could be about git or anything guarded.
func mentionsGuarded(text string) bool {
	return mentionsGit(text) || containsAny(text, "warp", "claude", "codex", "gemini", "refs", "hooks")
}

var (
	mutating = text.WordSet{List: "commit push merge rebase reset revert pull clean stash checkout switch restore"}
	plumbing = []string{"update-ref", "symbolic-ref", "cherry-pick", "refs/heads", "packed-refs", "hookspath",
		"filter-branch", "filter-repo", "fast-import", "commit-tree", ".git/"}
)

// nearGit reports whether a text, in any language, names git and something that changes a
// repository.
func nearGit(line string) bool {
	return namesGit(line) && (containsAny(strings.ToLower(line), plumbing...) || slices.ContainsFunc(words(line), mutating.Has))
}

// namesGit reports whether a text contains git as a whole word.
func namesGit(line string) bool {
	return mentionsGit(line) && slices.ContainsFunc(words(line), func(w string) bool { return w == "git" || w == "gitconfig" })
}

func words(line string) []string {
	return strings.FieldsFunc(strings.ToLower(line), func(c rune) bool { return c > 'z' || !text.IsLetter(byte(c)) && !text.IsDigit(byte(c)) })
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}
