package taskdoc

import (
	"errors"
	"path"
	"strings"
)

// maxPattern limits a pattern, in bytes.
const maxPattern = 500

// normal validates a path or pattern and normalises its spelling.
func normal(pattern string) (string, error) {
	switch {
	case pattern == "" || len(pattern) > maxPattern:
		return "", errors.New("it must have from 1 to 500 bytes")
	case strings.ContainsFunc(pattern, hidden) || strings.ContainsAny(pattern, "\n\t"):
		return "", errors.New("control characters are not accepted")
	case strings.Contains(pattern, `\`):
		return "", errors.New("folders are separated by /")
	case strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || len(pattern) > 1 && pattern[1] == ':':
		return "", errors.New("it must be relative to the project's folder")
	case strings.EqualFold(pattern, "none"):
		return "", errors.New("a task that names no files claims them all; leave the field out")
	}
	for _, part := range strings.FieldsFunc(pattern, func(c rune) bool { return strings.ContainsRune("/{,}", c) }) {
		if part == ".." {
			return "", errors.New("with .. it could lead out of the project's folder")
		}
	}
	if strings.Count(pattern, "{") != strings.Count(pattern, "}") {
		return "", errors.New("a brace is not closed")
	}
	if pattern = path.Clean(pattern); pattern == "." {
		return "**", nil
	}
	return pattern, nil
}
