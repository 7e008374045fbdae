package pipeline

import "strings"

// meant is the rest of a message about a word that is not known.
func meant(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := edits(strings.ToLower(word), strings.ToLower(k)); d < least && 2*d <= len(k) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// edits is the number of letters that make one word of another.
func edits(a, b string) int {
	if len(a) > 100 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
