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
