package docs

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// tally is how many of something the repository has.
type tally struct {
	where     string
	n         int
	otherWays []int // other numbers that are right, counted differently
	isExact   bool  // there is only one way to count
}

var (
	spanPattern = regexp.MustCompile("`(?:\\./)?([^`\\s*]+?)/?`")
	// synonyms are nouns for what a folder of another name holds.
	synonyms = map[string]string{"guides": "docs", "pages": "docs", "documents": "docs", "subcommands": "commands", "subagents": "agents", "actions": "workflows", "pipelines": "workflows"}
	// contents are nouns for what any folder holds.
	contents = []string{"files", "entries", "documents", "pages", "modules", "folders", "directories", "items"}
)

// tally returns what in the repository a count can mean.
func (a *auditor) tally(c statedCount, sentence string) []tally {
	folder := c.noun
	if other, ok := synonyms[c.noun]; ok {
		folder = other
	}
	for _, m := range spanPattern.FindAllStringSubmatch(sentence, -1) {
		base := path.Base(m[1])
		if a.tree.isDir(m[1]) && (base == folder || base+"s" == c.noun || slices.Contains(contents, c.noun)) {
			return []tally{a.countEntries(m[1])}
		}
	}
	var found []tally
	switch c.noun {
	case "targets":
		if m := a.readMakefile(""); m != nil {
			noted := len(m.notes)
			return []tally{{where: "the Makefile", n: len(m.targets), otherWays: []int{noted}, isExact: noted == 0 || noted == len(m.targets)}}
		}
	case "labels":
		if n := len(a.labels.declared); n > 0 {
			return []tally{{where: a.labels.file, n: n, isExact: true}}
		}
	case "scripts":
		if m := a.readManifest(""); m != nil && len(m.Scripts) > 0 {
			found = append(found, tally{where: "package.json", n: len(m.Scripts), isExact: true})
		}
		if strings.Contains(c.kind, "npm") || strings.Contains(c.kind, "yarn") {
			return found
		}
	case "packages":
		if a.tree.isFile("go.mod") {
			found = append(found, a.countGoPackages())
		}
	}
	dirs := a.projectDirs(folder)
	if len(dirs) > 2 {
		return nil // nothing tells which is meant
	}
	for _, dir := range dirs {
		found = append(found, a.countEntries(dir))
	}
	return found
}

var otherDirs = regexp.MustCompile(`(^|/)(vendor|node_modules|testdata|examples|fixtures|test|templates)/`)

// projectDirs returns the folders of a name that hold what the project consists of.
func (a *auditor) projectDirs(name string) []string {
	return slices.DeleteFunc(a.tree.dirsNamed(name), func(dir string) bool { return strings.Count(dir, "/") > 2 || otherDirs.MatchString(dir) })
}

// fullDir returns the path of a folder that a drawn tree shows below others.
func (a *auditor) fullDir(dir string) string {
	if dirs := a.projectDirs(path.Base(dir)); !a.tree.isDir(dir) && len(dirs) == 1 {
		return dirs[0]
	}
	return dir
}

// countEntries counts what a folder holds.
func (a *auditor) countEntries(dir string) tally {
	files, dirs, indexes := 0, 0, 0
	kinds := map[string]int{}
	for _, e := range a.tree.children[dir] {
		name := strings.ToLower(e.name)
		switch {
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
		case e.isDir:
			dirs++
		case strings.HasPrefix(name, "readme") || strings.HasPrefix(name, "index."):
			indexes++
		default:
			files++
			kinds[path.Ext(name)]++
		}
	}
	deep := 0
	for _, f := range a.tree.files {
		if strings.HasPrefix(f, dir+"/") {
			deep++
		}
	}
	t := tally{where: dir + "/", n: files + dirs, otherWays: []int{files, dirs, files + indexes, files + indexes + dirs, deep}}
	for _, n := range kinds {
		t.otherWays = append(t.otherWays, n)
	}
	t.isExact = dirs == 0 && len(kinds) == 1 || files == 0 && dirs > 0
	return t
}

// countGoPackages counts the folders with Go files: all, those in internal or pkg,
// and the others.
func (a *auditor) countGoPackages() tally {
	dirs, inner := map[string]bool{}, map[string]bool{}
	for _, f := range a.tree.files {
		if path.Ext(f) != ".go" || otherDirs.MatchString(f) {
			continue
		}
		dirs[path.Dir(f)] = true
		if strings.Contains("/"+f, "/internal/") || strings.Contains("/"+f, "/pkg/") {
			inner[path.Dir(f)] = true
		}
	}
	return tally{where: "the Go module", n: len(dirs), otherWays: []int{len(inner), len(dirs) - len(inner)}}
}
