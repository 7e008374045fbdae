package answer

import (
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/lossless"
)

// Name writes the criteria's ids in a result as they were asked for: AC-1 is AC-01, and so is
// "AC-01: the text". An id that means none of them stays. It returns v.
func Name(r Role, ids []string, v *lossless.Value) *lossless.Value {
	if len(ids) > 0 && v != nil && v.Kind == lossless.Object {
		nameIDs(membersOf(r), ids, v)
	}
	return v
}

func nameIDs(members []member, ids []string, v *lossless.Value) {
	for _, m := range members {
		x := v.Get(m.name)
		if x == nil {
			continue
		}
		switch m.form {
		case "id":
			nameID(ids, x)
		case "ids":
			for _, e := range x.Elems {
				nameID(ids, e)
			}
		case "chunks":
			for _, chunk := range x.Elems {
				nameIDs([]member{{name: "ids", form: "ids"}}, ids, lossless.NewObject(lossless.Member{Key: "ids", Value: chunk}))
			}
		case "objects":
			for _, e := range x.Elems {
				nameIDs(m.within, ids, e)
			}
		}
	}
}

func nameID(ids []string, v *lossless.Value) {
	if id := meant(ids, v.Text()); id != "" && v.Kind == lossless.String {
		*v = *lossless.NewString(id)
	}
}

// meant returns the id that is meant by what was said, or "".
func meant(ids []string, said string) string {
	if slices.Contains(ids, said) {
		return said
	}
	word, number := splitID(said)
	found := ""
	for _, id := range ids {
		w, n := splitID(id)
		if number == "" || n != number || word != "" && word != w {
			continue
		}
		if found != "" {
			return ""
		}
		found = id
	}
	return found
}

// splitID splits an id into its word, in capitals, and its number without leading zeros. What
// follows them, such as the criterion's text, does not count.
func splitID(id string) (word, number string) {
	rest := strings.TrimLeftFunc(id, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	end := strings.IndexFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) })
	if end < 0 {
		return "", ""
	}
	word, rest = strings.ToUpper(rest[:end]), strings.TrimLeft(rest[end:], "-_ #")
	if end = strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' }); end < 0 {
		end = len(rest)
	}
	if next, _, _ := strings.Cut(rest[end:], " "); strings.IndexFunc(next, unicode.IsLetter) == 0 { // AC-1a is another one
		return "", ""
	}
	if number = strings.TrimLeft(rest[:end], "0"); number == "" && end > 0 {
		number = "0"
	}
	return word, number
}

// Unjudged returns the ids on which a verifier's result has no verdict.
func Unjudged(ids []string, v *lossless.Value) (list []string) {
	judged := map[string]bool{}
	if criteria := v.Get("criteria"); criteria != nil {
		for _, c := range criteria.Elems {
			judged[c.Get("id").Text()] = true
		}
	}
	for _, id := range ids {
		if !judged[id] {
			list = append(list, id)
		}
	}
	return list
}

// Join adds a later result of the same task to an earlier one that lacked some verdicts.
func Join(first, later *lossless.Value) *lossless.Value {
	var members []lossless.Member
	for _, m := range first.Members {
		if add := later.Get(m.Key); m.Value.Kind == lossless.Array && add != nil && add.Kind == lossless.Array {
			m.Value = &lossless.Value{Kind: lossless.Array, Elems: slices.Concat(m.Value.Elems, add.Elems)}
		}
		members = append(members, m)
	}
	for _, m := range later.Members {
		if first.Get(m.Key) == nil {
			members = append(members, m)
		}
	}
	return lossless.NewObject(members...)
}
