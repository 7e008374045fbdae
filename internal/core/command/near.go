package command

import (
	"slices"
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
		part = strings.ToLower(part)
		if part == ".git" || part == ".claude" || part == ".gitconfig" || strings.HasPrefix(part, ".w") && (strings.ContainsAny(part, "*?[") || strings.HasPrefix(part, ".warp-drive")) {
			return true
		}
	}
	return false
}

// ownFiles are parts of paths that only warp and git write.
var ownFiles = [...]string{".warp-drive", ".claude/state", ".claude/settings", ".claude/locks", ".git/hooks", ".git/refs", ".git/config", ".git/head", ".git/warp", "packed-refs", "/state/warp/"}

// namesOwn tells a text that names a file which only warp and git write.
func namesOwn(text string) bool {
	text = strings.ToLower(text)
	for _, part := range ownFiles {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// viewers look at files and change none.
var viewers = lexicon.Set{List: `cat less more head tail ls ll jq grep egrep fgrep rg ag ack stat file wc diff cmp sort uniq cut tr od xxd
 hexdump strings md5sum sha1sum sha256sum shasum cksum readlink realpath basename dirname du tree bat nl tac rev column echo printf test [ [[ : true false
 cd pushd source . export code open type which man find fd watch awk gawk mawk nawk sed gsed git hub warp warp-hook`}

// ownWrites notes a program that is not known to be a viewer and is given a file
// which only warp and git write.
func (r *reader) ownWrites(base string, args []arg) {
	if base == "yq" || base == "jq" {
		if !slices.ContainsFunc(args, func(a arg) bool { return a.s == "-i" || a.s == "--inplace" || a.s == "--in-place" }) {
			return
		}
	} else if viewers.Has(base) {
		return
	}
	language := interpreters.Has(strings.TrimRight(base, "0123456789."))
	bad := func(s string) bool {
		return namesOwn(s) && (!language || !strings.ContainsAny(s, " (\n") || writesFiles(base, s))
	}
	r.suspect(args, "a program is given a file that only warp and git write", bad)
	if text, _ := r.stdin.get(); language && bad(text) {
		r.unknown("a program reads a text that names a file which only warp and git write")
	}
}

// writesFiles tells code that may change a file, rather than look at it.
func writesFiles(base, code string) bool {
	return startsPrograms(base, code) || hasAny(strings.ToLower(code), "write", "'w", `"w`, "'a", `"a`, "r+", "dump", "unlink", "remove", "rename", "replace",
		"rmtree", "rmsync", "rmdir", "copy", "move", "chmod", "truncate", "link", "mkdir", "touch", "append", `">`, "'>", "put")
}
