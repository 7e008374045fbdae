package program

// Near is the one name that a word is probably a misspelling of, "" if there is
// none or more than one.
func Near(word string, names []string) string {
	best, found := min(2, len(word)/3)+1, ""
	for _, n := range names {
		switch d := Distance(word, n, best); {
		case n == word || d > best:
		case d < best:
			best, found = d, n
		case n != found:
			found = ""
		}
	}
	return found
}

// Distance is how many letters must be changed, added, taken out or swapped
// with their neighbour to make one word of another; more than most is most+1.
func Distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return min(last[len(b)], most+1)
}
