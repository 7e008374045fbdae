package failure

import (
	"strconv"
	"strings"
)

// LastLines is the last n lines of a text, below a line that says how many were
// left out. A newline at the very end starts no line of its own. A text that has
// no more than n lines is returned as it is.
func LastLines(text string, n int) string {
	n = max(n, 0)
	body := strings.TrimSuffix(text, "\n")
	if text == "" {
		return text
	}
	at := len(body)
	for range n {
		if at = strings.LastIndexByte(body[:max(at, 0)], '\n'); at < 0 {
			return text
		}
	}
	left := strings.Count(body[:at], "\n") + 1
	header := "[" + strconv.Itoa(left) + " lines left out]\n"
	if left == 1 {
		header = "[1 line left out]\n"
	}
	if n == 0 {
		return header
	}
	return header + text[at+1:]
}
