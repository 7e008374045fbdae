package secrets

import (
	"regexp"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/report"
)

// Names of rules: ours begin alike; generic is the library's that goes by the name
// of a value alone.
const (
	ours          = "warp-"
	passwordInURL = ours + "password-in-url"
	generic       = "generic-api-key"
)

func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	// identifier is a hash of git, a checksum or a UUID.
	identifier = lazy(`(?i)^(?:[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	// named is what says that an identifier is a secret all the same. A key alone
	// does not: it can be a cache's, or a table's.
	named = lazy(`(?i)\bcurl\b|(?:token|secret\w*|passw(?:or)?d|credentials?|(?:api|access|private|signing)[ _.-]?key)[\s'"]{0,3}[=:>]`)
	// place is a version, a date, or a path without a capital.
	place = lazy(`^(?:v?\d+\.\d+\.\d[\w.+-]*|\d{4}-\d\d-\d\d[\w.:-]*|[a-z0-9_.-]*(?:/[a-z0-9_.-]+)+)$`)
	word  = lazy(`^(?:[A-Za-z]?[a-z]*|[A-Z]*|.{0,7})$`)
)

// harmless tells of a finding that it is of a kind that reports are full of.
func harmless(f report.Finding) bool {
	name, _, _ := strings.Cut(f.Match, f.Secret)
	switch {
	case strings.HasPrefix(f.RuleID, ours):
		return false
	case identifier().MatchString(f.Secret):
		return !named().MatchString(name)
	default:
		return f.RuleID == generic && place().MatchString(f.Secret)
	}
}

// wordlike tells whether a password could stand in a text for itself.
func wordlike(s string) bool { return word().MatchString(s) }
