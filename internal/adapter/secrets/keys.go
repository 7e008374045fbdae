package secrets

import "strings"

var (
	keyMark = lazy(`-----(BEGIN|END)[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----`)
	// keyData matches a line of a key. Words and git hashes are shorter.
	keyData = lazy(`[A-Za-z0-9+/=]{41}`)
)

// longestKey limits the search for the other end of a truncated key.
const longestKey = 64 << 10

// privateKeys returns the PEM blocks of private keys in full, however long, even if lines are
// numbered, marked or escaped. Of a truncated key it returns the complete lines.
func privateKeys(text string) []string {
	if !strings.Contains(text, "PRIVATE KEY") {
		return nil
	}
	var found []string
	marks := keyMark().FindAllStringSubmatchIndex(text, -1)
	begins := func(n int) bool { return text[marks[n][2]:marks[n][3]] == "BEGIN" }
	for n, m := range marks {
		from, to := m[0], m[1]
		before, after := max(0, from-longestKey), min(len(text), to+longestKey)
		if n > 0 {
			before = max(before, marks[n-1][1])
		}
		if n+1 < len(marks) {
			after = min(after, marks[n+1][0])
		}
		switch {
		case !begins(n) && n > 0 && begins(n-1):
			continue // found with its beginning
		case !begins(n):
			from -= keyTail(text[before:from])
		case n+1 < len(marks) && !begins(n+1):
			to = marks[n+1][1]
		default:
			to += keyHead(text[to:after])
		}
		// A text can mention the marks without a key between them.
		if keyData().MatchString(text[from:to]) {
			found = append(found, text[from:to])
		}
	}
	return found
}

// keyHead returns the length of a key without an end: to its last line, after the headers that it
// may begin with.
func keyHead(text string) (length int) {
	const headers = 6
	for at, n := 0, 0; at < len(text) && (length > 0 || n < headers); n++ {
		line, _, _ := strings.Cut(text[at:], "\n")
		line, _, _ = strings.Cut(line, `\n`)
		switch {
		case keyData().MatchString(line):
			length = at + len(line)
		case length > 0:
			return length
		}
		at += len(line) + 1
	}
	return length
}

// keyTail returns the length of a key without a beginning: from its last line, which may be short,
// back to its first complete one.
func keyTail(text string) (length int) {
	rest := strings.TrimSuffix(strings.TrimRight(text, "\r\n"), `\n`)
	for n := 0; rest != ""; n++ {
		start := max(0, strings.LastIndexByte(rest, '\n'))
		start += max(0, strings.LastIndex(rest[start:], `\n`))
		if n > 0 && !keyData().MatchString(rest[start:]) {
			break
		}
		rest = rest[:start]
		length = len(text) - start
	}
	return length
}
