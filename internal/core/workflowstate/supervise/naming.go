package supervise

import (
	"fmt"
	"path"
	"strings"

	"warp/internal/core/text"
)

func inName(c byte) bool { return text.IsWord(c) || c == '-' }

// enoughSiblings is how many files must agree to make a convention.
const enoughSiblings = 5

// naming finds new files whose name style differs from all their siblings: files of the same kind
// in the same folder. A single lower-case word fits every style.
func naming(w Work) (found []Conflict) {
	for _, c := range w.Changes {
		if c.Before != nil || c.After == nil || c.OldPath != "" {
			continue
		}
		mine := style(c.Path)
		custom, unanimous, n := "", true, 0
		for _, p := range w.Paths {
			if path.Dir(p) != path.Dir(c.Path) || path.Ext(p) != path.Ext(c.Path) || p == c.Path || style(p) == "" {
				continue
			}
			unanimous = unanimous && (custom == "" || style(p) == custom)
			custom = style(p)
			n++
		}
		if mine != "" && unanimous && n >= enoughSiblings && mine != custom {
			found = append(found, Conflict{Type: Pattern, Severity: Low, Files: []string{c.Path},
				Detail: fmt.Sprintf("%s is named in %s; the %d files beside it are named in %s", c.Path, mine, n, custom)})
		}
	}
	return found
}

// style returns how a file's name joins its words, "" if unknown.
func style(file string) string {
	stem, _, _ := strings.Cut(strings.TrimLeft(path.Base(file), "._"), ".")
	stem = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(stem, "_test"), "test_"), "_spec") // the test runners' convention, not the project's
	stem = strings.Trim(stem, "_-")
	lower, upper := strings.ToUpper(stem) != stem, strings.ToLower(stem) != stem
	snake, kebab := strings.Contains(stem, "_"), strings.Contains(stem, "-")
	switch {
	case stem == "" || snake && kebab || upper && !lower || upper && (snake || kebab):
		return ""
	case snake:
		return "snake_case"
	case kebab:
		return "kebab-case"
	case upper && stem[0] >= 'A' && stem[0] <= 'Z':
		return "PascalCase"
	case upper:
		return "camelCase"
	}
	return ""
}
