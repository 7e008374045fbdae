package program

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"warp/internal/core/docs/tree"
)

// Inventory is what of a repository can be run.
type Inventory struct {
	tree     *tree.Tree
	modules  []*goModule
	programs map[string]*Program
	paths    map[string]*Program
	makes    map[string]*Makefile
}

// Manifest is a package.json, as far as it matters here.
type Manifest struct {
	Name            string            `json:"name"`
	Bin             any               `json:"bin"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Workspaces      any               `json:"workspaces"`
}

// Take finds the programs of a repository.
func Take(t *tree.Tree) *Inventory {
	v := &Inventory{tree: t, programs: map[string]*Program{}, paths: map[string]*Program{}, makes: map[string]*Makefile{}, modules: goModules(t)}
	for _, m := range v.modules {
		v.golang(m)
	}
	for _, f := range t.Named("package.json") {
		v.node(f)
	}
	v.python()
	return v
}

// golang takes in the programs of a Go module. A command that one of them
// leaves to another is as the other has it.
func (v *Inventory) golang(m *goModule) {
	var made []*Program
	for dir, p := range m.packages {
		if p.main && !example(dir) {
			made = append(made, m.program(dir))
		}
	}
	slices.SortFunc(made, func(a, b *Program) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range made {
		for i, c := range p.Loose {
			for _, other := range made {
				if j := slices.IndexFunc(other.Loose, func(o *Command) bool { return c.Open && !o.Open && o.named(c.Name) }); j >= 0 {
					p.Loose[i] = other.Loose[j]
					maps.Copy(p.Everywhere, other.Everywhere)
				}
			}
		}
		v.keep(p)
	}
}

// example tells whether a folder shows how others would use something.
func example(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(part string) bool {
		return part == "examples" || part == "example" || part == "_examples"
	})
}

func (v *Inventory) keep(p *Program) {
	if _, taken := v.programs[p.Name]; !taken || v.programs[p.Name] != nil && !v.programs[p.Name].Known() {
		v.programs[p.Name] = p
	}
}

// Named is the program of a name, nil if the repository makes none.
func (v *Inventory) Named(name string) *Program { return v.programs[name] }

// Names are the names of all programs, sorted.
func (v *Inventory) Names() []string {
	var all []string
	for name := range v.programs {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Own are the names by which the repository calls itself.
func (v *Inventory) Own() []string {
	var all []string
	for _, m := range v.modules {
		all = append(all, path.Base(m.path))
	}
	if m, ok := v.Package(""); ok {
		all = append(all, path.Base(m.Name))
	}
	return slices.Concat(all, v.Names())
}

// At is the program that a path holds: a script, or the folder of a Go command.
func (v *Inventory) At(name string) *Program {
	if name = path.Clean(name); name == "." {
		name = ""
	}
	p, done := v.paths[name]
	if !done {
		p = v.at(name)
		v.paths[name] = p
	}
	return p
}

func (v *Inventory) at(name string) *Program {
	if v.tree.IsDir(name) {
		for _, m := range v.modules {
			if p := m.packages[name]; p != nil && p.main {
				return m.program(name)
			}
		}
		return nil
	}
	text, ok := v.tree.Read(name)
	if !ok || !v.tree.IsFile(name) {
		return nil
	}
	p := newProgram(path.Base(name))
	first, _, _ := strings.Cut(text, "\n")
	switch ext := path.Ext(name); {
	case ext == ".py" || strings.HasPrefix(first, "#!") && strings.Contains(first, "python"):
		readPython(p, []string{text})
	case ext == ".js" || ext == ".mjs" || ext == ".cjs" || ext == ".ts" || strings.HasPrefix(first, "#!") && strings.Contains(first, "node"):
		readNode(p, []string{text})
	case ext == ".sh" || ext == ".bash" || strings.HasPrefix(first, "#!") && (strings.HasSuffix(first, "sh") || strings.Contains(first, "bash")):
		readShell(p, text)
	default:
		return nil
	}
	return p
}

// Make is the Makefile of a folder, nil if it has none.
func (v *Inventory) Make(dir string) *Makefile {
	m, done := v.makes[dir]
	if !done {
		m, _ = readMakefile(v.tree, dir)
		v.makes[dir] = m
	}
	return m
}

// Package is the package.json of a folder.
func (v *Inventory) Package(dir string) (Manifest, bool) {
	var m Manifest
	text, ok := v.tree.Read(path.Join(dir, "package.json"))
	return m, ok && json.Unmarshal([]byte(text), &m) == nil
}

// node takes in the programs of a package.json.
func (v *Inventory) node(file string) {
	dir := path.Dir(file)
	m, ok := v.Package(dir)
	if !ok || skipped(file) || m.Bin == nil {
		return
	}
	var names []string
	switch bin := m.Bin.(type) {
	case string:
		names = append(names, path.Base(m.Name))
	case map[string]any:
		for name := range bin {
			names = append(names, name)
		}
	}
	var sources []string
	for _, f := range v.tree.Files() {
		if v.packageOf(f) == dir && !skipped(f) && slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx"}, path.Ext(f)) && !strings.Contains(f, ".test.") && !strings.Contains(f, ".spec.") {
			if text, ok := v.tree.Read(f); ok {
				sources = append(sources, text)
			}
		}
	}
	for _, name := range names {
		p := newProgram(name)
		readNode(p, sources)
		v.keep(p)
	}
}

// packageOf is the folder of the package.json that a file belongs to.
func (v *Inventory) packageOf(file string) string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if dir == "." || v.tree.IsFile(dir+"/package.json") {
			return dir
		}
	}
}

// python takes in the programs that Python packages install.
func (v *Inventory) python() {
	for _, f := range slices.Concat(v.tree.Named("pyproject.toml"), v.tree.Named("setup.cfg"), v.tree.Named("setup.py")) {
		text, _ := v.tree.Read(f)
		if skipped(f) {
			continue
		}
		for name, target := range entryPoints(f, text) {
			p := newProgram(name)
			readPython(p, v.pythonSources(path.Dir(f), target))
			v.keep(p)
		}
	}
}

// entryPoints are the names and targets (package.module:function) of programs.
func entryPoints(file, text string) map[string]string {
	if path.Base(file) == "pyproject.toml" {
		var doc struct {
			Project struct{ Scripts map[string]string }
			Tool    struct {
				Poetry struct{ Scripts map[string]any }
			}
		}
		if toml.Unmarshal([]byte(text), &doc) != nil {
			return nil
		}
		all := map[string]string{}
		for name, target := range doc.Tool.Poetry.Scripts {
			all[name], _ = target.(string)
		}
		for name, target := range doc.Project.Scripts {
			all[name] = target
		}
		return all
	}
	all := map[string]string{}
	_, rest, found := strings.Cut(text, "console_scripts")
	if !found {
		return nil
	}
	for f := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune("\n'\",[]", r) }) {
		name, target, ok := strings.Cut(f, "=")
		if !ok || !strings.Contains(target, ":") {
			continue
		}
		all[strings.TrimSpace(name)] = strings.TrimSpace(target)
	}
	return all
}

// pythonSources are the sources of the package that an entry point names.
func (v *Inventory) pythonSources(dir, target string) []string {
	module, _, _ := strings.Cut(target, ":")
	top, _, _ := strings.Cut(module, ".")
	var all []string
	for _, base := range []string{path.Join(dir, top), path.Join(dir, "src", top)} {
		for _, f := range v.tree.Files() {
			if (strings.HasPrefix(f, base+"/") && strings.HasSuffix(f, ".py") && !strings.Contains(f, "/test")) || f == base+".py" {
				if text, ok := v.tree.Read(f); ok {
					all = append(all, text)
				}
			}
		}
	}
	return all
}
