package command

import (
	"strings"

	"warp/internal/core/lexicon"
)

// Marks for parts of a word that are made at run time. A NUL cannot stand in an
// argument; the others in a text only make it count as not told.
const (
	dyn     = Dynamic
	dynGit  = "\x01" // made from something near git, or by a decoder
	dynSafe = "\x02" // the output of a tool that prints settings for eval
	dynAny  = dyn + dynGit + dynSafe
)

func untold(s string) bool { return strings.ContainsAny(s, dynAny) }

// mentionsGit is the widest net: the three letters, anywhere.
func mentionsGit(s string) bool {
	for i := 0; i+3 <= len(s); i++ {
		if s[i]|0x20 == 'g' && s[i+1]|0x20 == 'i' && s[i+2]|0x20 == 't' {
			return true
		}
	}
	return false
}

var (
	mutating = lexicon.Set{List: "commit push merge rebase reset revert pull clean stash checkout switch restore"}
	plumbing = [...]string{"update-ref", "symbolic-ref", "cherry-pick", "refs/heads", "packed-refs", "hookspath",
		"filter-branch", "filter-repo", "fast-import", "commit-tree", ".git/"}
)

// nearGit tells a text, of any language, that names git and something which
// changes a repository.
func nearGit(text string) bool {
	if !mentionsGit(text) {
		return false
	}
	low := strings.ToLower(text)
	git, change := false, false
	for i := 0; i < len(low); {
		j := i
		for j < len(low) && (lexicon.IsLetter(low[j]) || lexicon.IsDigit(low[j])) {
			j++
		}
		w := low[i:j]
		git = git || w == "git" || strings.HasSuffix(w, "git") && j < len(low) && low[j] == '.'
		change = change || mutating.Has(w)
		i = j + 1
	}
	for _, p := range plumbing {
		change = change || strings.Contains(low, p)
	}
	return git && change
}

// guarded tells a path with a part that is git's or the agent's.
func guarded(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part = strings.ToLower(part); part == ".git" || part == ".claude" || part == ".gitconfig" {
			return true
		}
	}
	return false
}
