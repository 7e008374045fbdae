package forge

import (
	"regexp"
	"sync"
)

// claimLine matches a line of an issue's text that names the session working on it. It is exact,
// because an approval ignores the line: nothing else may hide in it. It is compiled on demand, so
// that not every start pays for it.
var claimLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\r?\n)?<!-- warp:claimed-by (warp/[A-Za-z0-9._-]{1,80}@[0-9a-f.]{1,20}) -->`)
})

// ClaimOf returns who has claimed an issue, and its text without the claim.
func ClaimOf(body string) (by, rest string) {
	if m := claimLine().FindStringSubmatch(body); m != nil {
		by = m[1]
	}
	return by, claimLine().ReplaceAllString(body, "")
}

// AddClaim returns the text of an issue with a claim added.
func AddClaim(body, by string) string { return body + "\n<!-- warp:claimed-by " + by + " -->" }
