package supervise

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/testintegrity"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate/claim"
)

type Change = testintegrity.Change

// Secret is a secret found in the diff.
type Secret struct{ Path, Rule string }

// Work is a task's diff and what to check it against.
type Work struct {
	Changes []Change
	Asked   string   // the task's text: dependencies and names in it are asked for
	Claimed []string // what the task may touch, as paths and globs; empty: everything
	Others  []string // what other running tasks claimed
	Paths   []string // the repository's files before the task
	Secrets []Secret
}

// Inspect runs the checks that need no model, and returns the most severe findings first.
func Inspect(w Work) []Conflict {
	var found []Conflict
	for _, check := range []func(Work) []Conflict{secrets, dependencies, goAPI, textAPI, outside, naming} {
		found = append(found, check(w)...)
	}
	slices.SortStableFunc(found, func(a, b Conflict) int { return rank(byWeight, b.Severity) - rank(byWeight, a.Severity) })
	return found
}

func secrets(w Work) (found []Conflict) {
	for _, s := range w.Secrets {
		found = append(found, Conflict{Type: Security, Severity: Critical, Detail: fmt.Sprintf("%s holds a secret (%s)", s.Path, s.Rule), Files: []string{s.Path}})
	}
	return found
}

// outside finds files that the task has not claimed. One that another task claimed is severe: both
// would change it at once.
func outside(w Work) (found []Conflict) {
	var astray, theirs []string
	for _, c := range w.Changes {
		for _, path := range touched(c) {
			switch {
			case claim.Covers(w.Claimed, path) && len(w.Claimed) > 0:
			case len(w.Others) > 0 && claim.Covers(w.Others, path):
				theirs = append(theirs, path)
			case len(w.Claimed) > 0:
				astray = append(astray, path)
			}
		}
	}
	if len(theirs) > 0 {
		found = append(found, Conflict{Type: Architecture, Severity: High, Detail: "files that another task has claimed: " + text.List(theirs, 5), Files: theirs})
	}
	if len(astray) > 0 {
		found = append(found, Conflict{Type: Architecture, Severity: Low, Detail: "files outside the task's claim: " + text.List(astray, 5), Files: astray})
	}
	return found
}

// touched returns the paths of a change.
func touched(c Change) []string {
	if c.OldPath != "" && c.OldPath != c.Path {
		return []string{c.OldPath, c.Path}
	}
	return []string{c.Path}
}

// was returns the path before the change.
func was(c Change) string { return touched(c)[0] }

// named reports whether a text contains a name as a whole word.
func named(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		from += at
		end := from + len(name)
		if (from == 0 || !inName(text[from-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		from++
	}
	return false
}

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
