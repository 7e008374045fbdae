package criteria

import (
	"path"
	"slices"
	"strings"
)

// MatchesAny reports whether a pattern of a list matches a path. Patterns start at the root of the
// tree: * matches part of a name, ** any number of folders, and a folder with a trailing slash
// everything in it.
func MatchesAny(patterns []string, name string) bool {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matchPattern(pattern, name) })
}

func matchPattern(pattern, name string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	if pattern == "" || name == "" {
		return false
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if pattern == name {
		return true
	}
	return matchParts(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

// matchParts backtracks only to the last **, which limits its time to the product of both lengths.
func matchParts(pattern, name []string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, mark = p, n
			p++
		case p < len(pattern) && matchPart(pattern[p], name[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern)-1 && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

func matchPart(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

const allowKey = "allow-test-change:"

// AllowedTestChanges lists the paths and patterns whose tests a criterion allows to be removed,
// skipped or changed: allow-test-change: PATH. The key may follow other words; commas separate
// several paths, and backticks enclose one with spaces. Paths that leave the tree are ignored. No
// other wording allows it: English is not guessed.
func AllowedTestChanges(criteria []string) []string {
	list := []string{}
	for _, criterion := range criteria {
		for line := range strings.Lines(criterion) {
			for _, p := range allowedIn(line) {
				if !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// mostAllowing is how many paths an advice names.
const mostAllowing = 5

// ExplainAllowing says how a criterion can allow tests to change, as a clause that ends a sentence:
// AllowedTestChanges reads the same words.
func ExplainAllowing(paths []string) string {
	if len(paths) == 0 {
		paths = []string{"PATH"}
	}
	var list []string
	for _, p := range paths[:min(len(paths), mostAllowing)] {
		if strings.ContainsAny(p, " \t,;)") || strings.HasSuffix(p, ".") {
			p = "`" + p + "`"
		}
		list = append(list, p)
	}
	return "; if a criterion demands this, add to its text: " + allowKey + " " + strings.Join(list, ", ")
}

func allowedIn(line string) (list []string) {
	for {
		i := strings.Index(strings.ToLower(line), allowKey)
		if i < 0 || i > len(line)-len(allowKey) {
			return list
		}
		word := i > 0 && !strings.ContainsRune(" \t([{`*_>-", rune(line[i-1])) // disallow-test-change:
		line = line[i+len(allowKey):]
		if word {
			continue
		}
		for more := true; more; {
			var p string
			if p, line, more = nextPath(line); IsInTree(p) {
				list = append(list, strings.TrimPrefix(p, "./"))
			}
		}
	}
}

// nextPath splits off one path, and reports whether a comma announces another.
func nextPath(text string) (p, rest string, more bool) {
	text = strings.TrimLeft(text, " \t*_")
	if inner, ok := strings.CutPrefix(text, "`"); ok {
		if p, rest, ok = strings.Cut(inner, "`"); ok && p != "" {
			rest, more = strings.CutPrefix(rest, ",")
			return strings.TrimSpace(p), rest, more
		}
		text = inner // the key was between backticks too
	}
	end := strings.IndexAny(text, " \t\r\n,;)`")
	if end < 0 {
		end = len(text)
	}
	p, rest = strings.TrimRight(text[:end], "."), text[end:]
	rest, more = strings.CutPrefix(rest, ",")
	return p, rest, more
}

// IsInTree reports whether a path stays in the tree.
func IsInTree(p string) bool {
	return p != "" && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, `\`) && !strings.Contains(p, ":") &&
		!slices.Contains(strings.Split(strings.ReplaceAll(p, `\`, "/"), "/"), "..")
}
