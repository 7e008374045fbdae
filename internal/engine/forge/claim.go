package forge

import (
	"regexp"
	"sync"
)

// claimLine is a line of an issue's text that names the session which works on it. It
// is exact: an approval holds whatever it says, so that nothing else may be said by it.
// It is made when it is wanted: every start would pay.
var claimLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\r?\n)?<!-- warp:claimed-by (warp/[A-Za-z0-9._-]{1,80}@[0-9a-f.]{1,20}) -->`)
})

// ClaimOf is who has claimed an issue, by its text, and the text without that.
func ClaimOf(body string) (by, rest string) {
	if m := claimLine().FindStringSubmatch(body); m != nil {
		by = m[1]
	}
	return by, claimLine().ReplaceAllString(body, "")
}

// AddClaim returns the text of an issue with a claim added.
func AddClaim(body, by string) string { return body + "\n<!-- warp:claimed-by " + by + " -->" }
