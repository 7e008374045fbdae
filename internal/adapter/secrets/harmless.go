package secrets

import (
	"regexp"
	"strings"
	"sync"

	"warp/internal/core/leakscan"
)

// Names of rules: ours begin alike; genericRule is gitleaks' that goes by the name of
// a value alone.
const (
	ourRules      = "warp-"
	passwordInURL = ourRules + "password-in-url"
	genericRule   = leakscan.GenericRule
)

func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	// identifier is a hash of git, a checksum or a UUID.
	identifier = lazy(`(?i)^(?:[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	// secretName is what says that an identifier is a secret all the same. A key alone
	// does not: it can be a cache's, or a table's.
	secretName = lazy(`(?i)\bcurl\b|(?:token|secret\w*|passw(?:or)?d|credentials?|(?:api|access|private|signing)[ _.-]?key)[\s'"]{0,3}[=:>]`)
	// place is a version, a date, or a path without a capital.
	place = lazy(`^(?:v?\d+\.\d+\.\d[\w.+-]*|\d{4}-\d\d-\d\d[\w.:-]*|[a-z0-9_.-]*(?:/[a-z0-9_.-]+)+)$`)
	word  = lazy(`^(?:[A-Za-z]?[a-z]*|[A-Z]*|.{0,7})$`)
)

// isHarmless tells of a finding that it is of a kind that reports are full of.
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

// isWordlike tells whether a password could stand in a text for itself.
func isWordlike(s string) bool { return word().MatchString(s) }
