package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// secretNames are credential files found next to toolchains. They are never visible.
var secretNames = []string{"credentials", "credentials.toml", ".npmrc", ".netrc", ".pypirc"}

// Toolchains returns the folders that the programs in PATH need, apart from the system's: for
// ~/.nvm/versions/node/v20/bin the folder above, for ~/.local/bin itself and the folder that each
// of its links points to.
func Toolchains(environ []string, home string) []string {
	var found []string
	add := func(path string) {
		path = filepath.Clean(path)
		if filepath.IsAbs(path) && path != "/" && path != home && !systemPath(path) && !contains(path, home) && !slices.Contains(found, path) && exists(path) {
			found = append(found, path)
		}
	}
	for _, dir := range filepath.SplitList(Variable(environ, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		add(dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			add(real)
			dir = real
		}
		above := filepath.Dir(dir)
		if name := filepath.Base(dir); (name == "bin" || name == "shims" || name == "sbin") && filepath.Base(above) != ".local" {
			add(above)
		}
	}
	for _, name := range []string{"GOROOT", "GOMODCACHE", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "JAVA_HOME", "VOLTA_HOME", "ASDF_DATA_DIR"} {
		add(Variable(environ, name))
	}
	for _, path := range []string{".rustup/toolchains", ".rustup/settings.toml", ".cargo/bin", ".cargo/registry", "go/pkg/mod", ".pyenv", ".nvm", ".asdf", ".sdkman/candidates", ".bun/bin", ".deno/bin"} {
		add(filepath.Join(home, path))
	}
	return slices.DeleteFunc(found, func(path string) bool { // drop those below another
		return slices.ContainsFunc(found, func(other string) bool { return other != path && contains(other, path) })
	})
}

// hidden returns the credential files below visible folders.
func hidden(visible []string) (files []string) {
	for _, dir := range visible {
		for _, name := range secretNames {
			if path := filepath.Join(dir, name); exists(path) {
				files = append(files, path)
			}
		}
	}
	return files
}

// Program returns the paths that a program needs to be visible: the file itself, the target of its
// link, and the package that it is part of.
func Program(path string) []string {
	if !filepath.IsAbs(path) {
		return nil
	}
	found := []string{path}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return found
	}
	if real != path {
		found = append(found, real)
	}
	// A program from npm is part of a package and loads its other files.
	if at := strings.LastIndex(real, "/node_modules/"); at >= 0 {
		found = append(found, real[:at+len("/node_modules")])
	}
	return slices.DeleteFunc(found, systemPath)
}

func systemPath(path string) bool {
	return slices.ContainsFunc(systemFolders, func(s string) bool { return contains(s, path) })
}

// contains reports whether path is dir or below it.
func contains(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// Variable returns the value of a variable, the last one of several; "" without one.
func Variable(environ []string, name string) string {
	for _, v := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// Home returns the home folder from an environment, or else that of the process.
func Home(environ []string) string {
	if home := Variable(environ, "HOME"); home != "" {
		return filepath.Clean(home)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "/nonexistent"
	}
	return home
}
