package text

import "strings"

// DidYouMean is the end of a message about a word that is not known: it names the
// known word that was most likely meant, and is "" when none is near.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Nearest is the known word that was most likely meant by another: at most two slips
// away, and never a different word of a few letters.
func Nearest(word string, known []string) string {
	if len(word) > 100 {
		return ""
	}
	best, least := "", 3
	for _, k := range known {
		if d := slips(strings.ToLower(word), strings.ToLower(k)); d < least && 2*d <= len(k) {
			best, least = k, d
		}
	}
	return best
}

// slips counts the letters to add, drop or replace to make one word of another; two
// neighbours that changed places are one slip.
func slips(a, b string) int {
	var older, old []int
	for i := range len(a) + 1 {
		row := make([]int, len(b)+1)
		for j := range row {
			switch {
			case i == 0 || j == 0:
				row[j] = i + j
			case a[i-1] == b[j-1]:
				row[j] = old[j-1]
			default:
				row[j] = 1 + min(old[j-1], old[j], row[j-1])
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					row[j] = min(row[j], 1+older[j-2])
				}
			}
		}
		older, old = old, row
	}
	return old[len(b)]
}
