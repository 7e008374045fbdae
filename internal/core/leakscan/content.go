package leakscan

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// AddedLines returns the lines that a content did not have before. Lines that only moved do not
// count.
func AddedLines(before, after []byte) []byte {
	if len(before) == 0 {
		return after
	}
	had := map[string]bool{}
	for l := range bytes.Lines(before) {
		had[string(bytes.TrimRight(l, "\r\n"))] = true
	}
	var out []byte
	for l := range bytes.Lines(after) {
		if !had[string(bytes.TrimRight(l, "\r\n"))] {
			out = append(out, l...)
		}
	}
	return out
}

// ToText makes text from binary content: two-byte characters become ordinary ones, and NUL bytes
// become line breaks. A single NUL byte must not hide anything.
func ToText(content []byte) []byte {
	nuls := bytes.Count(content, []byte{0})
	switch {
	case nuls == 0:
		return content
	case nuls >= len(content)/3:
		return bytes.ReplaceAll(content, []byte{0}, nil)
	}
	return bytes.ReplaceAll(content, []byte{0}, []byte{'\n'})
}

// GenericRule only uses the name of a value and its randomness.
const GenericRule = "generic-api-key"

// checksums are files, by name, full of random values that are not secrets.
var checksums = []string{"go.sum", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "*.lock", "*.lockb", "*.min.js", "*.map", "*.svg", "*.snap"}

// RuleApplies reports whether a rule applies to a file.
func RuleApplies(file, rule string) bool {
	name := strings.ToLower(path.Base(file))
	return rule != GenericRule || !slices.ContainsFunc(checksums, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}

// minToken is the minimum length of a word worth trying all rules on.
const minToken = 16

// SuspiciousLines returns the lines of a text that could hold a key or a token: those with a long
// word of letters and digits, and those about private keys. All rules of a detector together read a
// third of a megabyte per second; this reads hundreds.
func SuspiciousLines(text []byte) (lines []byte) {
	for l := range bytes.Lines(text) {
		if isSuspicious(l) {
			lines = append(lines, l...)
		}
	}
	return lines
}

func isSuspicious(line []byte) bool {
	length, letters, digits := 0, false, false
	for _, b := range line {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z':
			letters = true
		case '0' <= b && b <= '9':
			digits = true
		case b == '+', b == '/', b == '=', b == '_', b == '-', b == '~':
		default:
			length, letters, digits = -1, false, false
		}
		if length++; length >= minToken && letters && digits {
			return true
		}
	}
	return bytes.Contains(line, []byte("PRIVATE KEY")) || bytes.Contains(line, []byte("://")) && bytes.IndexByte(line, '@') > 0
}

// samples end the names of .env files that are meant to be public.
var samples = []string{".example", ".sample", ".template", ".dist", ".defaults", ".schema", ".md"}

// IsDotenv reports whether a file of this name holds a project's secrets.
func IsDotenv(file string) bool {
	name := strings.ToLower(path.Base(file))
	return (name == ".env" || name == ".envrc" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env")) &&
		!slices.ContainsFunc(samples, func(end string) bool { return strings.HasSuffix(name, end) })
}

// ParseDotenv reads the variables of an .env file, as NAME=value, and ignores anything else. A
// quoted value may have many lines.
func ParseDotenv(content []byte) (environ []string) {
	text := string(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name, "# \t'\"") {
			continue
		}
		value = strings.TrimSpace(value)
		if q := strings.IndexAny(value, `"'`+"`"); q == 0 {
			quote := value[:1]
			rest := value[1:]
			if end := strings.Index(rest, quote); end >= 0 {
				value = rest[:end]
			} else if end := strings.Index(text, quote); end >= 0 {
				value = rest + "\n" + text[:end]
				_, text, _ = strings.Cut(text[end:], "\n")
			}
		} else if i := strings.Index(value, " #"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		environ = append(environ, name+"="+value)
	}
	return environ
}
