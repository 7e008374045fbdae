package standin

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/adapter/agent/demo"
)

// targets are the files that the agent writes for a task: those that it names, and
// one that fits where it names a pattern or a folder.
func (b brief) targets(dir string) (names []string) {
	for _, p := range b.files {
		name := fitting(p)
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil && info.IsDir() {
			name = path.Join(name, "demo.txt")
		}
		inside := !strings.HasPrefix(p, "/") && filepath.IsLocal(filepath.FromSlash(name))
		if inside && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names == nil && b.id != whole {
		return []string{"demo_task_" + strings.Map(demo.Letter, b.id) + ".txt"}
	}
	return names
}

// fitting is a name that a pattern matches. Brackets stay: they may be part of a
// name, and a pattern claims that name too.
func fitting(pattern string) string {
	for {
		end := strings.IndexByte(pattern, '}')
		begin := strings.LastIndexByte(pattern[:max(end, 0)], '{')
		if begin < 0 {
			break
		}
		first, _, _ := strings.Cut(pattern[begin+1:end], ",")
		pattern = pattern[:begin] + first + pattern[end+1:]
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	var parts []string
	for part := range strings.SplitSeq(pattern, "/") {
		if part == "**" {
			continue
		}
		parts = append(parts, strings.NewReplacer("**", "demo", "*", "demo", "?", "x").Replace(part))
	}
	name := path.Join(parts...)
	switch last := path.Base(pattern); {
	case last == "**":
		return path.Join(name, "demo.txt")
	case strings.HasSuffix(last, "*") && !strings.Contains(last, "."):
		return name + ".txt"
	}
	return name
}
