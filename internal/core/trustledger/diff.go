package trustledger

import (
	"slices"
	"strings"
)

// most limits how many lines are compared: longer texts are shown as a whole.
const most = 2000

// Diff shows how a text changed, line by line: "-" was, "+" is, " " stays.
func Diff(before, after string) string {
	a, b := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(after))
	var out strings.Builder
	put := func(sign string, all []string) {
		for _, l := range all {
			out.WriteString(sign + strings.TrimSuffix(l, "\n") + "\n")
		}
	}
	if len(a) > most || len(b) > most {
		put("-", a)
		put("+", b)
		return out.String()
	}
	common := longest(a, b)
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			put(" ", a[i:i+1])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			put("-", a[i:i+1])
			i++
		default:
			put("+", b[j:j+1])
			j++
		}
	}
	return out.String()
}

// longest returns the lengths of the longest common subsequences of all suffixes of a and b.
func longest(a, b []string) [][]int {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	return n
}
