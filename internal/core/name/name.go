// Package name is the rule for names that become files, refs or sessions.
package name

import "strings"

// Rule says what Valid accepts.
const Rule = "letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.'"

// Valid tells whether a name can be used as it is.
func Valid(s string) bool {
	if s == "" || len(s) > 80 || s[0] == '-' || s[0] == '.' {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-", c) >= 0) {
			return false
		}
	}
	return true
}
