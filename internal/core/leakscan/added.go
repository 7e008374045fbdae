package leakscan

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// AddedLines are the lines of a content that it did not have before, each as it is. Lines
// that only moved are not added.
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

// ToText makes text of a content that is none: text in two-byte letters becomes
// ordinary, and what stands between NUL bytes becomes lines. One NUL byte hides
// nothing.
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

// GenericRule goes by the name of a value and its randomness alone.
const GenericRule = "generic-api-key"

// checksums are files, by name, that are full of random values which are no secrets.
var checksums = []string{"go.sum", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "*.lock", "*.lockb", "*.min.js", "*.map", "*.svg", "*.snap"}

// RuleApplies tells whether a rule applies to a file.
func RuleApplies(file, rule string) bool {
	name := strings.ToLower(path.Base(file))
	return rule != GenericRule || !slices.ContainsFunc(checksums, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}
