package forge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
)

// Dependencies lists the issues that a text depends on: "depends on #3", "Blocked by: #4, #5 and
// #6". Code and comments do not count.
func Dependencies(markdown string) (list []int) {
	for _, d := range dependencies(markdown) {
		if d.repo == "" {
			list = append(list, d.number)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// OutsideDependencies lists the issues of other repositories that a text depends on: "depends on
// owner/repo#7". The names are in lower case.
func OutsideDependencies(markdown string) (list []string) {
	for _, d := range dependencies(markdown) {
		if d.repo != "" {
			list = append(list, fmt.Sprintf("%s#%d", d.repo, d.number))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

type dependency struct {
	repo   string // "": the same repository
	number int
}

func dependencies(markdown string) (list []dependency) {
	for line := range criteria.Prose(markdown) {
		line = strings.ToLower(withoutCode(line))
		for _, phrase := range []string{"depends on", "blocked by"} {
			rest := line
			for {
				before, after, found := strings.Cut(rest, phrase)
				if !found {
					break
				}
				rest = after
				if before == "" || !letter(before[len(before)-1]) {
					list = append(list, readIssues(after)...)
				}
			}
		}
	}
	return list
}

// readIssues reads "#4, #5 and owner/repo#6" at the start of a text.
func readIssues(s string) (list []dependency) {
	for {
		if strings.HasPrefix(s, "](") { // the end of a link
			_, s, _ = strings.Cut(s, ")")
		}
		s = strings.TrimLeft(s, " \t:,&*_[(")
		s = strings.TrimLeft(strings.TrimPrefix(s, "and "), " \t")
		repo, rest, ok := strings.Cut(s, "#")
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if !ok || repo != "" && !isRepository(repo) || digits == 0 || digits > 9 || digits < len(rest) && letter(rest[digits]) {
			return list
		}
		n, _ := strconv.Atoi(rest[:digits])
		list, s = append(list, dependency{repo, n}), rest[digits:]
	}
}

// isRepository reports whether a text is owner/name.
func isRepository(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	plain := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}
	return ok && owner != "" && name != "" && !strings.ContainsFunc(owner+name, plain)
}

func letter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

// withoutCode removes the code spans from a line.
func withoutCode(line string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			return b.String() + line
		}
		run := line[start : len(line)-len(strings.TrimLeft(line[start:], "`"))]
		after := line[start+len(run):]
		end := closing(after, len(run))
		if end < 0 {
			b.WriteString(line[:start+len(run)])
			line = after
			continue
		}
		b.WriteString(line[:start] + " ")
		line = after[end+len(run):]
	}
}

// closing finds the next run of exactly n backticks.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}
