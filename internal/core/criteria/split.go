package criteria

import (
	"slices"
	"strings"
)

// Split divides criteria into chunks of at most the given number. It follows the plan if possible:
// each criterion is used once, those it does not name come last in order, and a chunk that is too
// large is cut. A criterion that says it depends on another never comes before it.
func Split(list []Criterion, plan [][]string, most int) [][]string {
	byID := map[string]Criterion{}
	for _, c := range list {
		byID[c.ID] = c
	}
	chunkOf := map[string]int{} // in the plan; unnamed criteria go into a last chunk
	var order []string
	for i, chunk := range plan {
		for _, id := range chunk {
			if _, known := byID[id]; known && chunkOf[id] == 0 {
				chunkOf[id] = i + 1
				order = append(order, id)
			}
		}
	}
	for _, c := range list {
		if chunkOf[c.ID] == 0 {
			chunkOf[c.ID] = len(plan) + 1
			order = append(order, c.ID)
		}
	}
	var chunks [][]string
	last := 0
	for _, id := range orderByNeeds(order, byID) {
		n := len(chunks)
		if n == 0 || len(chunks[n-1]) >= most || chunkOf[id] != last {
			chunks = append(chunks, nil)
			n++
		}
		chunks[n-1] = append(chunks[n-1], id)
		last = chunkOf[id]
	}
	return chunks
}

// orderByNeeds moves criteria after those they depend on, and otherwise keeps the order, also
// within a cycle.
func orderByNeeds(order []string, byID map[string]Criterion) []string {
	var out []string
	var visit func(id string, path []string)
	visit = func(id string, path []string) {
		if slices.Contains(out, id) || slices.Contains(path, id) {
			return
		}
		for _, before := range Needs(byID[id]) {
			if slices.Contains(order, before) {
				visit(before, append(path, id))
			}
		}
		out = append(out, id)
	}
	for _, id := range order {
		visit(id, nil)
	}
	return out
}

// Needs lists the criteria that a criterion's text says it depends on.
func Needs(c Criterion) (ids []string) {
	text := strings.ToUpper(c.Text)
	for _, word := range []string{"DEPENDS ON ", "BLOCKED BY ", "AFTER "} {
		rest := text
		for {
			_, after, found := strings.Cut(rest, word)
			if !found {
				break
			}
			rest = after
			for {
				id, more := leadingID(after)
				if id == "" || id == c.ID {
					break
				}
				ids = append(ids, id)
				after = strings.TrimLeft(more, ", ")
				after = strings.TrimPrefix(after, "AND ")
			}
		}
	}
	return ids
}

// leadingID splits an id such as AC-01 from the beginning of a text.
func leadingID(s string) (id, rest string) {
	if !strings.HasPrefix(s, "AC-") {
		return "", s
	}
	n := len("AC-")
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == len("AC-") {
		return "", s
	}
	return s[:n], s[n:]
}
