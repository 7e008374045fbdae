// Package secrets finds secrets in a text, with the rules of gitleaks and a few of
// ours. It works on the text alone: no file, no variable and no word in the text
// changes what it finds. Hashes, identifiers, versions and paths, of which reports are
// full, are not taken for secrets.
//
// A text is looked at as it stands: what is encoded in it is not decoded.
package secrets

import (
	"slices"
	"strings"
)

// Find returns the secrets in a text, each once and without its name, the longest
// first, so that a replacement leaves none half. The text must not be shortened
// before it: half a secret is not found.
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

// replaceable is what is to be replaced. A password that could be a word of the text
// is told with the signs around it, so that the word stays elsewhere.
func replaceable(f finding) string {
	if f.rule == passwordInURL && isWordlike(f.secret) {
		return ":" + f.secret + "@"
	}
	return f.secret
}
