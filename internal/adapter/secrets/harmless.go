package secrets

import (
	"regexp"
	"strings"
	"sync"

	"warp/internal/core/leakscan"
)

// Names of rules. Ours share a prefix; genericRule is gitleaks' rule that looks only at the name
// of a value.
const (
	ourRules      = "warp-"
	passwordInURL = ourRules + "password-in-url"
	genericRule   = leakscan.GenericRule
)

func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	// identifier matches a git hash, a checksum or a UUID.
	identifier = lazy(`(?i)^(?:[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	// secretName matches names that make an identifier a secret all the same. "key" alone does
	// not: it can be a cache's or a table's.
	secretName = lazy(`(?i)\bcurl\b|(?:token|secret\w*|passw(?:or)?d|credentials?|(?:api|access|private|signing)[ _.-]?key)[\s'"]{0,3}[=:>]`)
	// place matches a version, a date, or a path without capitals.
	place = lazy(`^(?:v?\d+\.\d+\.\d[\w.+-]*|\d{4}-\d\d-\d\d[\w.:-]*|[a-z0-9_.-]*(?:/[a-z0-9_.-]+)+)$`)
	word  = lazy(`^(?:[A-Za-z]?[a-z]*|[A-Z]*|.{0,7})$`)
)

// isHarmless reports whether a finding is of a kind that reports are full of.
func isHarmless(f finding) bool {
	name, _, _ := strings.Cut(f.match, f.secret)
	switch {
	case strings.HasPrefix(f.rule, ourRules):
		return false
	case identifier().MatchString(f.secret):
		return !secretName().MatchString(name)
	default:
		return f.rule == genericRule && place().MatchString(f.secret)
	}
}

// isWordlike reports whether a password could also be an ordinary word.
func isWordlike(s string) bool { return word().MatchString(s) }
