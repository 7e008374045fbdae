// Package secrets finds secrets in a text, with the rules of gitleaks and a few of ours. The result
// depends on the text alone: no file, variable or comment in the text changes it. Hashes,
// identifiers, versions and paths, of which reports are full, do not count as secrets. Encoded text
// is not decoded.
package secrets

import (
	"slices"
	"strings"
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
