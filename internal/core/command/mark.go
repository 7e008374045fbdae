package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Marks replace parts of a word that are made at run time. The parser keeps them in a text that is
// read again; those of the user's own only make a word count as unknown.
const (
	mark     = "\x06"
	markGit  = "\x01" // made from something near git or guarded, or by a decoder
	markSafe = "\x02" // the output of a tool that prints settings for eval
	// markSplit follows an unquoted mark: it may be several arguments, or none.
	markSplit = "\x03"
	// markList follows the mark for a command's output: it may be many names, while an unquoted
	// variable is mostly one.
	markList = "\x04"
	// markLetters follows the mark for a text that contains the letters of git within another word:
	// a part of it may be git.
	markLetters = "\x05"
	allMarks    = markLetters + mark + markGit + markSafe + markSplit + markList
)

func hasMark(s string) bool { return strings.ContainsAny(s, allMarks) }

func maySplit(s string) bool { return strings.Contains(s, markSplit) }

// mayBeMany reports whether a word is the unquoted output of a command.
func mayBeMany(s string) bool { return strings.Contains(s, markList) && maySplit(s) }

// markOf returns the mark for a word made from these texts.
func markOf(list ...string) string {
	all := joinWords(list)
	m := mark
	if mentionsGit(all) || containsAny(all, markGit, markLetters, ".claude") {
		m = markGit
	}
	if strings.Contains(all, markList) {
		m += markList
	}
	return m
}

// markOneOf returns the mark for exactly one of these texts: /tmp/github is not git's.
func markOneOf(list ...string) string {
	isMany := func(s string) bool {
		return s == "." || s == ".." || hasPattern(s) || strings.HasSuffix(s, "/") || strings.ContainsAny(s, " \t\n")
	}
	all := joinWords(list)
	if slices.ContainsFunc(list, isMany) {
		all += markList
	}
	m := markOf(all)
	if rest, near := strings.CutPrefix(m, markGit); near && !namesGit(all) && !containsAny(all, markGit, ".claude") {
		m = mark + rest + markLetters
	}
	return m
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
func nearGit(text string) bool {
	return namesGit(text) && (containsAny(strings.ToLower(text), plumbing...) || hasWordIn(text, mutating.Has))
}

// namesGit reports whether a text contains git as a whole word.
func namesGit(text string) bool {
	return hasWordIn(text, func(word string) bool { return word == "git" || word == "gitconfig" })
}

// hasWordIn reports whether a text, in any language, contains one of the words.
func hasWordIn(s string, isOne func(string) bool) bool {
	between := func(c rune) bool { return c > 'z' || !text.IsLetter(byte(c)) && !text.IsDigit(byte(c)) }
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(s), between), isOne)
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}
