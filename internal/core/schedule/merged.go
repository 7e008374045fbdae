package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Merged requirements are never forgotten, so they are saved as ranges: x#3..7 is x#3 to x#7.
const upTo = ".."

// numbered is an id whose issue is a number; others are saved unchanged.
type numbered struct {
	repo  string
	issue int
}

func parseNumbered(id string) (numbered, bool) {
	repo, issue, _ := strings.Cut(id, "#")
	n, err := strconv.Atoi(issue)
	return numbered{repo, n}, err == nil && strconv.Itoa(n) == issue
}

// packIDs writes ids as ranges, deterministically.
func packIDs(ids []string) (packed []string) {
	var list []numbered
	for _, id := range ids {
		if n, ok := parseNumbered(id); ok {
			list = append(list, n)
		} else {
			packed = append(packed, id)
		}
	}
	slices.SortFunc(list, func(a, b numbered) int { return cmp.Or(cmp.Compare(a.repo, b.repo), cmp.Compare(a.issue, b.issue)) })
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].repo == list[0].repo && list[n].issue == list[0].issue+n {
			n++
		}
		id := fmt.Sprintf("%s#%d", list[0].repo, list[0].issue)
		if n > 1 {
			id += upTo + strconv.Itoa(list[n-1].issue)
		}
		packed, list = append(packed, id), list[n:]
	}
	return packed
}

// unpackIDs reads what packIDs wrote.
func unpackIDs(packed []string) (ids []string) {
	for _, p := range packed {
		at := strings.LastIndexByte(p, '#') + 1 // names may contain dots
		from, to, isRange := strings.Cut(p[at:], upTo)
		first, ok := parseNumbered(p[:at] + from)
		last, err := strconv.Atoi(to)
		if !isRange || !ok || err != nil {
			ids = append(ids, p)
			continue
		}
		for n := first.issue; n <= last; n++ {
			ids = append(ids, fmt.Sprintf("%s#%d", first.repo, n))
		}
	}
	return ids
}
