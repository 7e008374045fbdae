package suite

import (
	"go/version"
	"maps"
	"slices"
	"strings"
)

// iniPart keeps the sections with some names; a name matches all sections that begin with it.
func iniPart(sections ...string) func([]byte) ([]byte, bool) {
	return func(content []byte) ([]byte, bool) {
		kept := map[string][]string{}
		section, chosen := "", false
		for line := range strings.Lines(strings.ReplaceAll(string(content), "\r", "")) {
			line = strings.TrimRight(line, " \t\n")
			switch head, ok := strings.CutPrefix(line, "["); {
			case line == "" || strings.ContainsRune("#;", rune(strings.TrimLeft(line, " \t")[0])):
			case ok:
				name, rest, closed := strings.Cut(head, "]")
				if rest = strings.TrimSpace(rest); !closed || rest != "" && rest[0] != '#' && rest[0] != ';' {
					return nil, false
				}
				section = strings.TrimSpace(name)
				chosen = slices.ContainsFunc(sections, func(s string) bool { return section == s || strings.HasPrefix(section, s) })
				if chosen && kept[section] == nil {
					kept[section] = []string{}
				}
			case section == "":
				return nil, false
			case chosen:
				kept[section] = append(kept[section], line)
			}
		}
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(kept)) {
			b.WriteString("[" + name + "]\n" + strings.Join(kept[name], "\n") + "\n")
		}
		return []byte(b.String()), true
	}
}

// goModDirectives are the directives of a go.mod, and whether they decide what is built and tested.
// RunnerChanged judges the language version: raising it is no alarm.
var goModDirectives = map[string]bool{"module": true, "go": false, "toolchain": true, "require": false, "replace": true, "exclude": true,
	"retract": false, "godebug": true, "tool": false, "ignore": true}

func goModPart(content []byte) ([]byte, bool) {
	var kept []string
	ok := eachDirective(content, func(directive, rest string) bool {
		decides, known := goModDirectives[directive]
		if decides {
			kept = append(kept, directive+" "+rest)
		}
		return known
	})
	slices.Sort(kept)
	return []byte(strings.Join(kept, "\n")), ok
}

// eachDirective calls f for each line of a go.mod, with the directive of its block, and reports
// whether it understood all of it.
func eachDirective(content []byte, f func(directive, rest string) bool) bool {
	block := ""
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case block != "" && words[0] == ")":
			block = ""
		case block != "":
			if !f(block, strings.Join(words, " ")) {
				return false
			}
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		default:
			if !f(words[0], strings.Join(words[1:], " ")) {
				return false
			}
		}
	}
	return block == ""
}

func goVersion(content []byte) (language string) {
	eachDirective(content, func(directive, rest string) bool {
		if directive == "go" {
			language = rest
		}
		return true
	})
	return language
}

// older reports whether one Go language version precedes another. A missing one is the oldest, as
// for the go command.
func older(one, other string) bool { return version.Compare("go"+one, "go"+other) < 0 }
