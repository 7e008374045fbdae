package detect

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/project"
	"warp/internal/engine/room"
)

// Proposal is how tests could run where a project's files do not say it: a person decides, since
// what it names is not in the base that work is judged by.
type Proposal struct {
	Why     string // what was found; "": nothing
	Tests   string // for test_command; "": unknown
	Setup   string // for worktree_setup
	Copy    string // for worktree_copy
	Certain bool   // nothing else would run the tests
}

// Commands lists the commands that set it.
func (p Proposal) Commands() (list []string) {
	for _, c := range []struct{ key, value string }{{"test_command", p.Tests}, {"worktree_setup", p.Setup}, {"worktree_copy", p.Copy}} {
		if c.value != "" {
			list = append(list, "warp config set "+c.key+" '"+strings.ReplaceAll(c.value, "'", `'\''`)+"'")
		}
	}
	return list
}

// Propose looks for Python's virtual environment and, where nothing else was found, for projects in
// sub folders.
func Propose(root string) Proposal {
	files := ReadProject(root)
	found := detectWith(files, machine.Importable)
	if len(found) > 0 && found[0].Stack == "python" {
		return proposePython(root, files)
	}
	if len(found) > 0 {
		return Proposal{}
	}
	return proposeParts(root)
}

// detectWith detects tests as if all package managers were installed.
func detectWith(files project.Files, importable func(module string) bool) []project.Test {
	return project.Detect(files, project.Machine{Importable: importable, Installed: func(string) bool { return true }})
}

// environments are the usual names of virtual environments.
var environments = []string{".venv", "venv"}

func proposePython(root string, files project.Files) Proposal {
	_, locked := files(project.UVLock)
	if locked && isInstalled("uv") {
		return Proposal{}
	}
	why := ""
	if locked {
		why = "there is a uv.lock, and uv is not installed"
	}
	for _, name := range environments {
		python := path.Join(name, "bin", "python")
		at := filepath.Join(root, filepath.FromSlash(python))
		if _, err := os.Stat(at); err != nil || !canImport(at, "unittest") {
			continue
		}
		t := detectWith(files, func(module string) bool { return canImport(at, module) })[0] // as with any other Python
		if strings.Contains(t.Command, " -m pytest") && !canImport(at, "pytest") {
			continue
		}
		command := strings.NewReplacer(project.SystemPython+" ", python+" ", ".venv/bin/python ", python+" ").Replace(t.Command)
		return Proposal{Why: strings.TrimPrefix(why+"; there is a virtual environment "+name, "; "), Tests: command, Copy: name, Certain: true}
	}
	if !locked {
		return Proposal{}
	}
	return Proposal{Why: why + ", and no .venv here has what the tests need: install uv, or set test_command, and worktree_setup to a command that installs what they need"}
}

// part is a project in a sub folder.
type part struct{ folder, tests, setup string }

const (
	deepest   = 3  // folders down
	mostParts = 20 // a test command of more is not read by anybody
)

var (
	otherFolders = []string{"node_modules", "vendor", "venv", "testdata", "third_party", "dist", "build", "target", "examples", "docs"}
	plainName    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`) // goes into a command
)

func proposeParts(root string) Proposal {
	parts := findParts(root, "", deepest)
	if len(parts) == 0 || len(parts) > mostParts {
		return Proposal{}
	}
	var names, tests, setups []string
	if line := installer(root); line != "" {
		setups = append(setups, line)
	}
	for _, p := range parts {
		names = append(names, p.folder)
		tests = append(tests, "(cd "+p.folder+" && "+p.tests+")")
		if p.setup != "" {
			setups = append(setups, "(cd "+p.folder+" && "+p.setup+")")
		}
	}
	proposal := Proposal{Why: "there are tests in " + strings.Join(names, ", ") + ", and none at the top", Tests: strings.Join(tests, " && "), Setup: strings.Join(setups, " && ")}
	if !slices.ContainsFunc(parts, func(p part) bool { return p.setup != "" }) {
		proposal.Setup = "" // what is installed at the top is installed without it
	}
	return proposal
}

func findParts(root, folder string, depth int) (list []part) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.IsDir() || !plainName.MatchString(e.Name()) || slices.Contains(otherFolders, e.Name()) {
			continue
		}
		name := path.Join(folder, e.Name())
		at := filepath.Join(root, filepath.FromSlash(name))
		if tests := FindTests(ReadProject(at)); tests != "" {
			list = append(list, part{name, tests, installer(at)})
		} else if depth > 1 {
			list = append(list, findParts(root, name, depth-1)...)
		}
	}
	return list
}

func installer(folder string) string {
	return room.Installer(func(lock string) bool {
		_, err := fs.Stat(os.DirFS(folder), lock)
		return err == nil
	})
}
