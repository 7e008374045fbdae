package git

import "strings"

// Git's messages are parsed without regular expressions: they would be linked into the hook, which
// starts often.

// hasError reports whether git's messages include an error.
func hasError(stderr string) bool {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "error: ") {
			return true
		}
	}
	return false
}

// said lists the names in messages of the form: prefix NAME': rest, where rest ends its line and
// satisfies want. A name may hold anything, even newlines.
func said(stderr, prefix string, want func(rest string) bool) []string {
	var names []string
	for at := 0; at < len(stderr); {
		begins := at == 0 || stderr[at-1] == '\n'
		if !begins || !strings.HasPrefix(stderr[at:], prefix) {
			next := strings.IndexByte(stderr[at:], '\n')
			if next < 0 {
				break
			}
			at += next + 1
			continue
		}
		from := at + len(prefix)
		length, rest := named(stderr[from:], want)
		if length < 0 {
			at = from
			continue
		}
		names = append(names, stderr[from:from+length])
		at = from + length + len("': ") + rest
	}
	return names
}

// named finds the end of a name: the first place followed by a wanted rest.
func named(text string, want func(string) bool) (length, rest int) {
	for from := 0; ; {
		i := strings.Index(text[from:], "': ")
		if i < 0 {
			return -1, 0
		}
		line, _, _ := strings.Cut(text[from+i+len("': "):], "\n")
		if want(line) {
			return from + i, len(line)
		}
		from += i + 1
	}
}
