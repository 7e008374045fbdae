package supervise

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// need is a dependency of a manifest.
type need struct {
	name string
	dev  bool // only for tests and tools
}

// dependencies finds new dependencies in manifests. Other versions and indirect dependencies do not
// matter.
func dependencies(w Work) (found []Conflict) {
	for _, c := range w.Changes {
		read := manifest(c.Path)
		if read == nil || c.After == nil {
			continue
		}
		var before []need
		if c.Before != nil {
			before = read(string(c.Before))
		}
		var product, tools []string
		for _, n := range read(string(c.After)) {
			known := func(o need) bool { return o.name == n.name && (o.dev == n.dev || !o.dev) }
			switch {
			case slices.ContainsFunc(before, known) || slices.Contains(product, n.name) || slices.Contains(tools, n.name):
			case named(w.Asked, n.name) || named(w.Asked, n.name[strings.LastIndexAny(n.name, "/:")+1:]):
			case n.dev:
				tools = append(tools, n.name)
			default:
				product = append(product, n.name)
			}
		}
		add := func(names []string, severity Severity, what string) {
			if len(names) > 0 {
				found = append(found, Conflict{Type: Dependency, Severity: severity, Files: []string{c.Path}, Detail: fmt.Sprintf("%s adds %s: %s", c.Path, what, text.List(names, 5))})
			}
		}
		add(product, High, "dependencies")
		add(tools, Low, "dependencies for development")
	}
	return found
}

// manifest returns the reader of a manifest, nil for other files.
func manifest(file string) func(string) []need {
	base := path.Base(file)
	switch {
	case base == "go.mod":
		return goMod
	case base == "package.json":
		return packageJSON
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		return func(text string) []need { return requirements(text, base != "requirements.txt") }
	case base == "pyproject.toml":
		return pyproject
	case base == "Cargo.toml":
		return cargo
	case base == "pom.xml":
		return pom
	case base == "build.gradle" || base == "build.gradle.kts":
		return gradle
	}
	return nil
}

func goMod(text string) (needs []need) {
	block := false
	for line := range strings.Lines(text) {
		code, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(code)
		switch {
		case len(words) == 0 || strings.TrimSpace(comment) == "indirect":
		case words[0] == "require" && len(words) == 2 && words[1] == "(":
			block = true
		case words[0] == ")":
			block = false
		case words[0] == "require" && len(words) == 3:
			needs = append(needs, need{name: words[1]})
		case block && len(words) == 2:
			needs = append(needs, need{name: words[0]})
		}
	}
	return needs
}

func packageJSON(text string) (needs []need) {
	doc, err := lossless.Parse([]byte(text))
	if err != nil {
		return nil
	}
	for _, section := range []string{"dependencies", "peerDependencies", "optionalDependencies", "devDependencies"} {
		if list := doc.Get(section); list != nil {
			for _, m := range list.Members {
				needs = append(needs, need{m.Key, section == "devDependencies"})
			}
		}
	}
	return needs
}

// requirements reads a pip file; flags and addresses are not names.
func requirements(text string, dev bool) (needs []need) {
	for line := range strings.Lines(text) {
		if name := pythonName(line); name != "" {
			needs = append(needs, need{name, dev})
		}
	}
	return needs
}

// pythonName returns the package of a requirement such as Foo_bar[x]>=1 ; marker, normalised so
// that all spellings are equal.
func pythonName(requirement string) string {
	requirement = strings.TrimSpace(requirement)
	end := 0
	for end < len(requirement) && (inName(requirement[end]) || requirement[end] == '.') {
		end++
	}
	name := requirement[:end]
	if name == "" || name[0] == '-' || strings.HasPrefix(requirement[end:], ":") || strings.HasPrefix(requirement[end:], "/") {
		return ""
	}
	return strings.NewReplacer("_", "-", ".", "-").Replace(strings.ToLower(name))
}

func pom(text string) (needs []need) {
	for _, part := range strings.Split(text, "<dependency>")[1:] {
		part, _, _ = strings.Cut(part, "</dependency>")
		group, artifact := element(part, "groupId"), element(part, "artifactId")
		if artifact != "" {
			needs = append(needs, need{group + ":" + artifact, element(part, "scope") == "test"})
		}
	}
	return needs
}

func element(text, name string) string {
	_, after, _ := strings.Cut(text, "<"+name+">")
	inner, _, _ := strings.Cut(after, "</")
	return strings.TrimSpace(inner)
}

// gradle reads lines such as implementation("group:artifact:1.0").
func gradle(text string) (needs []need) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		how := ident(line)
		if !slices.ContainsFunc([]string{"mplementation", "api", "Api", "ompileOnly", "untimeOnly", "ompile", "kapt", "ksp", "nnotationProcessor"}, func(s string) bool { return strings.HasSuffix(how, s) }) {
			continue
		}
		open := strings.IndexAny(line, `"'`)
		if open < 0 {
			continue
		}
		coordinates, _, _ := strings.Cut(line[open+1:], line[open:open+1])
		if parts := strings.Split(coordinates, ":"); len(parts) >= 2 && parts[1] != "" {
			needs = append(needs, need{parts[0] + ":" + parts[1], strings.HasPrefix(how, "test") || strings.HasPrefix(how, "androidTest")})
		}
	}
	return needs
}

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
