package secrets

import (
	"slices"

	"warp/internal/core/leakscan"
)

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
