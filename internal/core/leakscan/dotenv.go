package leakscan

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

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
