package page

import (
	"strconv"
	"strings"
	"unicode"
)

// Slug is the anchor that GitHub gives a heading.
func Slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(text)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.M, r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// slugs gives each heading its anchor; one that is taken gets a number.
func slugs(headings []Heading) {
	taken := map[string]int{}
	for i := range headings {
		if headings[i].Slug != "" { // the heading says it itself
			continue
		}
		base := Slug(headings[i].Text)
		slug := base
		for n, used := taken[base]; used; _, used = taken[slug] {
			n++
			slug = base + "-" + strconv.Itoa(n)
			taken[base] = n
		}
		taken[slug] = max(taken[slug], 0)
		headings[i].Slug = slug
	}
}
