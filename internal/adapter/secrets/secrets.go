// Package secrets finds secrets in a text, with the rules of gitleaks and a few of ours. The result
// depends on the text alone: no file, variable or comment in the text changes it. Hashes,
// identifiers, versions and paths, of which reports are full, do not count as secrets. Encoded text
// is not decoded.
package secrets

import (
	"iter"
	"slices"
	"strings"

	"warp/internal/core/leakscan"
)

// Find returns the secrets in a text, each once and without its name. The longest come first, so
// that replacing them leaves no half secrets. The text must not be shortened before: half a secret
// is not found.
func Find(text string) []string {
	found := privateKeys(text)
	for part := range windows(text) {
		for _, f := range loadRules().find(part) {
			if !isHarmless(f) {
				found = append(found, replaceable(f))
			}
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(found)
}

// replaceable returns the text to replace. A password that could be a word is returned with the
// characters around it, so that the word stays elsewhere.
func replaceable(f finding) string {
	if f.rule == passwordInURL && isWordlike(f.secret) {
		return ":" + f.secret + "@"
	}
	return f.secret
}

// privateKey names the rule for keys, as in gitleaks.
const privateKey = "private-key"

// Scan returns the secrets in a text with the rules that found them. It is Find for callers that
// refuse a text instead of cleaning it, so it ignores passwords in URLs that could be a word
// (postgres:postgres@localhost): they are in every example.
func Scan(text string) []leakscan.Match {
	var found []leakscan.Match
	add := func(m leakscan.Match) {
		if !slices.ContainsFunc(found, func(f leakscan.Match) bool { return f.Value == m.Value }) {
			found = append(found, m)
		}
	}
	for _, key := range privateKeys(text) {
		add(leakscan.Match{Rule: privateKey, Value: key})
	}
	for part := range windows(text) {
		for _, f := range loadRules().find(part) {
			if isHarmless(f) || f.rule == passwordInURL && isWordlike(f.secret) {
				continue
			}
			add(leakscan.Match{Rule: f.rule, Value: f.secret})
		}
	}
	return found
}

// Keys returns only the private keys in a text. It costs almost nothing if there is none, so it
// suits texts that are too large for all rules.
func Keys(text string) []leakscan.Match {
	var found []leakscan.Match
	for _, key := range privateKeys(text) {
		found = append(found, leakscan.Match{Rule: privateKey, Value: key})
	}
	return found
}

// A long text is scanned in windows, so that the cost is linear in its length, and a rule is tried
// only near its keywords. Anything shorter than the overlap is whole in one of two neighbours.
const (
	window  = 16 << 10
	overlap = 2 << 10
)

// windows yields the parts of a text. They begin and end at lines if possible: part of a word would
// look like a word.
func windows(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > window {
			end := window
			if i := strings.LastIndexByte(text[window-overlap:window], '\n'); i >= 0 {
				end = window - overlap + i + 1
			}
			if !yield(text[:end]) {
				return
			}
			next := end - overlap
			if i := strings.LastIndexByte(text[next-overlap:next], '\n'); i >= 0 {
				next += i + 1 - overlap
			}
			text = text[next:]
		}
		yield(text)
	}
}
