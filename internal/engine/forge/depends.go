package forge

import (
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/criteria"
)

// Dependencies lists the issues that a text says it waits for: "depends on #3",
// "Blocked by: #4, #5 and #6". What stands in code or in a comment says nothing.
func Dependencies(markdown string) []int {
	var list []int
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
					list = append(list, numbers(after)...)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// numbers reads "#4, #5 and #6" at the beginning of a text.
func numbers(s string) (list []int) {
	for {
		if strings.HasPrefix(s, "](") { // the end of a link
			_, s, _ = strings.Cut(s, ")")
		}
		s = strings.TrimLeft(s, " \t:,&*_[(")
		s = strings.TrimLeft(strings.TrimPrefix(s, "and "), " \t")
		rest, ok := strings.CutPrefix(s, "#")
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if !ok || digits == 0 || digits > 9 || digits < len(rest) && letter(rest[digits]) {
			return list
		}
		n, _ := strconv.Atoi(rest[:digits])
		list, s = append(list, n), rest[digits:]
	}
}

func letter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

// withoutCode takes the code spans out of a line.
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
