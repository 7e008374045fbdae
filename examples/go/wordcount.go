// Package wordcount counts the words of a text.
package wordcount

import "strings"

// Count returns how often each word occurs in a text. Words are separated by blanks.
func Count(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.Fields(text) {
		counts[word]++
	}
	return counts
}
