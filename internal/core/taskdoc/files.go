package taskdoc

import (
	"errors"
	"path"
	"strings"
)

// maxPattern bounds a pattern, and maxBraces what its braces stand for.
const (
	maxPattern = 500
	maxBraces  = 64
)

// normal checks a path or pattern and spells it in the one way.
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
	alternatives, err := expand(pattern)
	if err != nil {
		return "", err
	}
	for _, a := range alternatives {
		for part := range strings.SplitSeq(a, "/") {
			if part == ".." {
				return "", errors.New("with .. it could lead out of the project's folder")
			}
		}
	}
	if pattern = path.Clean(pattern); pattern == "." {
		return "**", nil
	}
	return pattern, nil
}

// expand writes braces out: {a,b}.go is a.go and b.go.
func expand(pattern string) ([]string, error) {
	all := []string{pattern}
	for i := 0; i < len(all); {
		begin, end, commas := braces(all[i])
		if begin < 0 {
			i++
			continue
		}
		if end < 0 {
			return nil, errors.New("a brace is not closed")
		}
		before, after := all[i][:begin], all[i][end+1:]
		var parts []string
		from := begin + 1
		for _, comma := range append(commas, end) {
			parts = append(parts, before+all[i][from:comma]+after)
			from = comma + 1
		}
		all = append(append(all[:i:i], parts...), all[i+1:]...)
		if len(all) > maxBraces {
			return nil, errors.New("its braces stand for too many paths; use *")
		}
	}
	return all, nil
}

// braces finds the first pair of braces and the commas right inside.
func braces(s string) (begin, end int, commas []int) {
	begin = strings.IndexByte(s, '{')
	depth := 0
	for i := max(begin, 0); begin >= 0 && i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return begin, i, commas
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		}
	}
	return begin, -1, nil
}
