package forge

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
)

// sealed is the line that shows whether a text is still as warp wrote it.
var sealed = regexp.MustCompile(`(?m)^<!-- warp:text ([0-9a-f]{16}) -->\r?\n?`)

// Text returns the text of a pull request as it is stored: with its marker, and with a sum by which
// an edit is noticed.
func (p NewPull) Text() string {
	if p.Once == "" {
		return p.Body
	}
	text := AddMarker(p.Body, p.Once)
	return text + fmt.Sprintf("<!-- warp:text %s -->\n", sum(text))
}

// Renew returns what replaces the text of a pull request that is open already: p's text, or was
// itself if somebody edited it.
func (p NewPull) Renew(was string) string {
	seal := sealed.FindStringSubmatch(was)
	if p.Once == "" || seal == nil || seal[1] != sum(sealed.ReplaceAllString(was, "")) {
		return was
	}
	return p.Text()
}

// sum does not depend on line ends, which servers change.
func sum(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16]
}
