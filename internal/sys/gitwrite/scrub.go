package gitwrite

import "strings"

// scrub removes the user and password from the URLs in a text.
func scrub(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "://")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("://")
		host := rest
		if end := strings.IndexAny(rest, "/ \t\r\n'\"<>"); end >= 0 {
			host = rest[:end]
		}
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			b.WriteString("***")
			rest = rest[at:]
		}
		text = rest
	}
}
