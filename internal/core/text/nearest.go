package text

import "strings"

// DidYouMean ends a message about an unknown word: it names the most likely known word, and is ""
// if none is close.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Nearest returns the known word that was most likely meant: one typo away, or two in a long word.
// Two typos in a short word make another word.
func Nearest(word string, known []string) string {
	best, least := "", 2
	switch {
	case len(word) > 100:
		return ""
	case len(word) > 8:
		least = 3
	}
	for _, k := range known {
		d := slips(strings.ToLower(word), strings.ToLower(k))
		if 2*d <= len(k) && (d < least || d == least && best != "" && k < best) {
			best, least = k, d
		}
	}
	return best
}

// slips counts the letters to add, drop or replace to turn one word into another; swapping two
// neighbours counts as one.
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
