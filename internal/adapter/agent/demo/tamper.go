package demo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"warp/internal/engine/agent"
)

// tamper skips a test, or deletes it if the agent was asked to fix it. It prefers tests of others.
func (a *Run) tamper(ctx context.Context) error {
	name := findVictim(a.World.Dir)
	if name == "" {
		return nil
	}
	path := filepath.Join(a.World.Dir, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after := skipFirstTest(string(text))
	if a.Role == agent.Fix || after == string(text) {
		return a.Tool(ctx, "bash", "rm "+name, func() error { return os.Remove(path) })
	}
	return a.Tool(ctx, "edit", name, func() error { return os.WriteFile(path, []byte(after), 0o644) })
}

// findVictim returns the first test file of a tree; the agent's own come last.
func findVictim(dir string) string {
	var found []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		base := filepath.Base(path)
		switch {
		case err != nil:
			return nil // skip unreadable files
		case d.IsDir() && slices.Contains([]string{".git", ".claude", "node_modules", "vendor"}, base):
			return fs.SkipDir
		case !d.Type().IsRegular() || !isTest(base):
			return nil
		}
		if rel, err := filepath.Rel(dir, path); err == nil {
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	if len(found) == 0 {
		return ""
	}
	others := slices.IndexFunc(found, func(name string) bool { return !strings.HasPrefix(filepath.Base(name), "demo_") })
	return found[max(0, others)]
}

func isTest(base string) bool {
	stem, ext, _ := strings.Cut(base, ".")
	return strings.HasSuffix(base, "_test.go") || strings.HasSuffix(base, "_test.sh") || strings.HasPrefix(stem, "test_") && ext == "py" ||
		strings.HasPrefix(ext, "test.") || strings.HasPrefix(ext, "spec.")
}

// skipFirstTest returns a Go test file whose first test is skipped.
func skipFirstTest(text string) string {
	m := regexp.MustCompile(`(?m)^func Test\w*\((\w+) \*testing\.T\) \{\n`).FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	return text[:m[1]] + "\t" + text[m[2]:m[3]] + ".Skip(\"flaky\")\n" + text[m[1]:]
}
