package devconfig

import (
	"fmt"
	"strings"
)

// Bind replaces a statement's :names by numbered placeholders, and lists the names in that order.
// Quotes, comments and PostgreSQL's ::casts stay unchanged.
func Bind(statement, placeholder string) (sql string, names []string) {
	var b strings.Builder
	number := map[string]int{}
	for i := 0; i < len(statement); {
		skip := quoted(statement[i:])
		if skip == 0 && strings.HasPrefix(statement[i:], "::") {
			skip = 2
		}
		if skip > 0 {
			b.WriteString(statement[i : i+skip])
			i += skip
			continue
		}
		if name, _, ok := variable(statement[i+1:]); statement[i] == ':' && ok && !strings.HasPrefix(statement[i+1:], "{") {
			if number[name] == 0 {
				names = append(names, name)
				number[name] = len(names)
			}
			fmt.Fprintf(&b, "%s%d", placeholder, number[name])
			i += 1 + len(name)
			continue
		}
		b.WriteByte(statement[i])
		i++
	}
	return b.String(), names
}

// quoted returns the length of the quote or comment that a text begins with.
func quoted(text string) int {
	for _, q := range [...]struct{ from, to string }{{"'", "'"}, {`"`, `"`}, {"--", "\n"}, {"/*", "*/"}} {
		if rest, ok := strings.CutPrefix(text, q.from); ok {
			if end := strings.Index(rest, q.to); end >= 0 {
				return len(q.from) + end + len(q.to)
			}
			return len(text)
		}
	}
	return 0
}
