package command

import (
	"iter"
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

// spellMarks replaces the marks in a text by variables, so that they survive parsing.
func spellMarks(text string) string {
	return strings.NewReplacer(
		mark+markLetters, "${_unknowngitlist}", mark+markList+markLetters, "${_unknowngitlist}", mark+markList, "${_unknownlist}", mark, "${_unknown}",
		markGit+markList, "${_unknowngitlist}", markGit, "${_unknowngit}",
		markSafe, "", markSplit, "", markList, "", markLetters, "").Replace(text)
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
	low := strings.ToLower(line)
	change := containsAny(low, plumbing...)
	for w := range words(low) {
		change = change || mutating.Has(w)
	}
	return change && namesGit(low)
}

// namesGit reports whether a text contains git as a whole word.
func namesGit(line string) bool {
	for w := range words(strings.ToLower(line)) {
		if w == "git" || w == "gitconfig" {
			return true
		}
	}
	return false
}

func words(line string) iter.Seq[string] {
	return strings.FieldsFuncSeq(line, func(c rune) bool { return c > 'z' || !text.IsLetter(byte(c)) && !text.IsDigit(byte(c)) })
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
