package next

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// sections are the parts of a prompt that a session reads once, by how they begin. All else says
// what is wanted now and where the work stands.
var sections = []string{"Rules:", "Output: ", "The whole issue:", "The issue:"}

// printOnce leaves out of a prompt the sections that were shown before, and returns what has been
// shown by then.
func printOnce(prompt string, shown []string) (text string, known []string) {
	var b strings.Builder
	known = slices.Clone(shown)
	for _, s := range splitSections(prompt) {
		name, _, _ := strings.Cut(s, ":")
		at := slices.IndexFunc(sections, func(begin string) bool { return strings.HasPrefix(s, begin) })
		if at < 0 {
			b.WriteString(s)
			continue
		}
		key := sectionKey(s)
		if slices.Contains(known, key) {
			b.WriteString(name + ": as before.\n")
			continue
		}
		known = append(known, key)
		b.WriteString(s)
	}
	return b.String(), known
}

// splitSections splits a prompt where its sections begin. What is quoted in it begins none.
func splitSections(prompt string) (list []string) {
	fence := ""
	for line := range strings.Lines(prompt) {
		bare := strings.TrimRight(line, "\n")
		ticks := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case fence != "":
			if bare == fence {
				fence = ""
			}
		case len(ticks) >= 3:
			fence = ticks
		}
		begins := fence == "" && slices.ContainsFunc(sections, func(s string) bool { return strings.HasPrefix(line, s) })
		if begins || len(list) == 0 {
			list = append(list, "")
		}
		list[len(list)-1] += line
	}
	return list
}

var (
	quotedSubjects = regexp.MustCompile("(?s)```untrusted\n.*?\n```\n")
	usualTime      = regexp.MustCompile(` \(it takes about [^)\n]*\)`)
)

// sectionKey identifies a section. Criteria that were checked off, how long the tests take and the
// latest commits make no other one.
func sectionKey(s string) string {
	s = usualTime.ReplaceAllString(strings.TrimSpace(s), "")
	if strings.HasPrefix(s, "Output") {
		s = quotedSubjects.ReplaceAllString(s, "")
	}
	sum := sha256.Sum256([]byte(strings.ReplaceAll(s, "- [x]", "- [ ]")))
	return hex.EncodeToString(sum[:6])
}
