package hook

import (
	"os"
	"path/filepath"
	"strings"
)

// fileNames maps paths to the files of the project.
type fileNames struct {
	root string // the project's root
	dir  string // the session's folder, the base of relative paths
}

func newFileNames(root, dir string) fileNames {
	if !filepath.IsAbs(dir) {
		dir = root
	}
	return fileNames{root, dir}
}

// resolve returns the file that a path leads to; the last parts need not exist yet.
func (n fileNames) resolve(file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(n.dir, file)
	}
	return resolveLinks(file)
}

// name returns a file's path relative to the project; files outside keep their full path.
func (n fileNames) name(file string) string {
	if full := filepath.Clean(file); filepath.IsAbs(full) && isInside(full, n.root) && full != n.root { // the usual case
		return filepath.ToSlash(full[len(n.root)+1:])
	}
	full := n.resolve(file)
	rel, err := filepath.Rel(resolveLinks(n.root), full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return full
	}
	return filepath.ToSlash(rel)
}

// nameAnalyzed names a file that an agent has read; "" for a folder, as searches name them.
func (n fileNames) nameAnalyzed(file string) string {
	if name := n.name(file); name != "." && !isFolder(filepath.Join(n.root, name)) && !isFolder(name) {
		return name
	}
	return ""
}

func resolveLinks(file string) string {
	file = filepath.Clean(file)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return followLinks(file, 40) // the kernel's limit
}

// followLinks resolves a path whose end does not exist, link by link.
func followLinks(file string, links int) string {
	if to, err := os.Readlink(file); err == nil && links > 0 {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		return followLinks(filepath.Clean(to), links-1)
	}
	up := filepath.Dir(file)
	if up == file {
		return file
	}
	if real, err := filepath.EvalSymlinks(up); err == nil {
		return filepath.Join(real, filepath.Base(file))
	}
	return filepath.Join(followLinks(up, links), filepath.Base(file))
}

func isInside(file, dir string) bool {
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}
