package supervise

import (
	"slices"
	"strings"
)

// entry is one key of a TOML document, with its table. A value of several lines is joined.
type entry struct{ table, key, value string }

// entries reads as much of TOML as manifests use.
func entries(text string) (list []entry) {
	table, open := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(uncomment(line))
		switch {
		case line == "":
		case open:
			last := &list[len(list)-1]
			last.value += " " + line
			open = unclosed(last.value)
		case strings.HasPrefix(line, "["):
			table = strings.ReplaceAll(strings.Trim(line, "[] "), `"`, "")
			list = append(list, entry{table: table})
		default:
			key, value, _ := strings.Cut(line, "=")
			key = strings.Trim(strings.TrimSpace(key), `"'`)
			list = append(list, entry{table, key, strings.TrimSpace(value)})
			open = unclosed(value)
		}
	}
	return list
}

// uncomment removes a comment, unless its mark is inside a string.
func uncomment(line string) string {
	quote := byte(0)
	for i := range len(line) {
		switch c := line[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '#':
			return line[:i]
		}
	}
	return line
}

// unclosed reports whether an array continues on the next line.
func unclosed(value string) bool {
	depth, quote := 0, byte(0)
	for i := range len(value) {
		switch c := value[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
	}
	return depth > 0
}

// texts returns the strings of an array.
func texts(value string) (list []string) {
	for value != "" {
		open := strings.IndexAny(value, `"'`)
		if open < 0 {
			return list
		}
		inner, rest, _ := strings.Cut(value[open+1:], value[open:open+1])
		list = append(list, inner)
		value = rest
	}
	return list
}

func pyproject(text string) (needs []need) {
	for _, e := range entries(text) {
		group := strings.HasPrefix(e.table, "tool.poetry.group.") && strings.HasSuffix(e.table, ".dependencies")
		switch {
		case e.key == "":
		case e.table == "project" && e.key == "dependencies":
			needs = append(needs, requirements(strings.Join(texts(e.value), "\n"), false)...)
		case e.table == "project.optional-dependencies" || e.table == "dependency-groups":
			needs = append(needs, requirements(strings.Join(texts(e.value), "\n"), true)...)
		case (e.table == "tool.poetry.dependencies" || e.table == "tool.poetry.dev-dependencies" || group) && e.key != "python":
			needs = append(needs, need{pythonName(e.key), group || e.table == "tool.poetry.dev-dependencies"})
		}
	}
	return needs
}

// cargo reads both foo = "1" under [dependencies] and [dependencies.foo].
func cargo(text string) (needs []need) {
	for _, e := range entries(text) {
		steps := strings.Split(e.table, ".")
		at := slices.IndexFunc(steps, func(s string) bool { return strings.HasSuffix(s, "dependencies") })
		if at < 0 {
			continue
		}
		dev := steps[at] != "dependencies"
		switch {
		case at == len(steps)-1 && e.key != "":
			name, _, _ := strings.Cut(e.key, ".") // foo.workspace = true
			needs = append(needs, need{name, dev})
		case at == len(steps)-2 && e.key == "":
			needs = append(needs, need{steps[at+1], dev})
		}
	}
	return needs
}
