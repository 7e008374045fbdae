package command

import (
	"iter"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Marks stand for parts of a word that are made at run time. A NUL cannot stand in
// an argument; the others in a text only make it count as unknown.
const (
	mark     = dynamic
	markGit  = "\x01" // made from something near git or what is guarded, or by a decoder
	markSafe = "\x02" // the output of a tool that prints settings for eval
	// markSplit follows a mark that is not quoted: it may be several arguments, or none.
	markSplit = "\x03"
	// markList follows a mark for what a command printed: it may be many names, where an
	// unquoted variable is mostly one.
	markList = "\x04"
	// markLetters follows a mark for a text with the letters of git in another word: a part
	// of it may be git.
	markLetters = "\x05"
	allMarks    = markLetters + mark + markGit + markSafe + markSplit + markList
)

func hasMark(s string) bool { return strings.ContainsAny(s, allMarks) }

func maySplit(s string) bool { return strings.Contains(s, markSplit) }

// mayBeMany tells a word that is what a command printed, and not quoted.
func mayBeMany(s string) bool { return strings.Contains(s, markList) && maySplit(s) }

// markOf is the mark for what is made of these texts.
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

// markOneOf is the mark for one of these texts as it stands: /tmp/github is not git's.
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

// spellMarks puts variables for the marks in a text, so that they stay what they
// are when it is parsed.
func spellMarks(text string) string {
	return strings.NewReplacer(
		mark+markLetters, "${_unknowngitlist}", mark+markList+markLetters, "${_unknowngitlist}", mark+markList, "${_unknownlist}", mark, "${_unknown}",
		markGit+markList, "${_unknowngitlist}", markGit, "${_unknowngit}",
		markSafe, "", markSplit, "", markList, "", markLetters, "").Replace(text)
}

// mentionsGit is the widest net: the three letters, anywhere.
func mentionsGit(s string) bool { return strings.Contains(strings.ToLower(s), "git") }

// mentionsGuarded tells a text that could be about git, or about what is guarded.
func mentionsGuarded(text string) bool {
	return mentionsGit(text) || containsAny(text, "warp", "claude", "codex", "gemini", "refs", "hooks")
}

var (
	mutating = text.WordSet{List: "commit push merge rebase reset revert pull clean stash checkout switch restore"}
	plumbing = []string{"update-ref", "symbolic-ref", "cherry-pick", "refs/heads", "packed-refs", "hookspath",
		"filter-branch", "filter-repo", "fast-import", "commit-tree", ".git/"}
)

// nearGit tells a text, of any language, that names git and something which
// changes a repository.
func nearGit(line string) bool {
	low := strings.ToLower(line)
	change := containsAny(low, plumbing...)
	for w := range words(low) {
		change = change || mutating.Has(w)
	}
	return change && namesGit(low)
}

// namesGit tells a text with git as a word of its own.
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
