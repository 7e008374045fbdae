package leak

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/leakscan"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

const (
	maxDotenv  = 1 << 20
	maxDotenvs = 100
	maxFolders = 1000 // searched for them
)

// skippedFolders cannot contain the project's own .env files.
var skippedFolders = []string{".git", "node_modules", "vendor", ".venv", "venv", "target", "dist"}

// learnDotenv learns the values of a folder's .env files. Files that are part of the change do not
// count: their content is meant to be published.
func (s *Scanner) learnDotenv(root string, changes []git.BlobChange) {
	eachDotenv(root, func(rel string, environ []string) {
		if !slices.ContainsFunc(changes, func(c git.BlobChange) bool { return c.Path == rel || strings.HasSuffix(c.Path, "/"+rel) }) {
			s.known.Add(environ, " in "+rel)
		}
	})
}

// ReadDotenv returns the variables in a folder's .env files.
func ReadDotenv(root string) (environ []string) {
	eachDotenv(root, func(_ string, more []string) { environ = append(environ, more...) })
	return environ
}

// eachDotenv reads the .env files of a folder, and up to two levels below.
func eachDotenv(root string, do func(rel string, environ []string)) {
	if root == "" {
		return
	}
	files, folders := 0, 0
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, err := os.ReadDir(dir)
		if folders++; err != nil || folders > maxFolders {
			return
		}
		for _, e := range entries {
			full := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir() && depth > 0 && !slices.Contains(skippedFolders, e.Name()):
				walk(full, depth-1)
			case e.Type().IsRegular() && leakscan.IsDotenv(e.Name()) && files < maxDotenvs:
				if rel, err := filepath.Rel(root, full); err == nil {
					files++
					do(filepath.ToSlash(rel), leakscan.ParseDotenv(readBounded(full)))
				}
			}
		}
	}
	walk(root, 2)
}

// readBounded reads the beginning of a file; nothing if it is no regular file, such as a pipe put
// in its place.
func readBounded(path string) []byte {
	f, err := durable.OpenPlain(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDotenv))
	if err != nil {
		return nil
	}
	return text
}
