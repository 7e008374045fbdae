package contain

import (
	"cmp"
	"path/filepath"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/sandbox"
)

// goProxy returns where Go gets modules: from its environment, the user's Go settings, or those
// that Go came with.
func goProxy(environ []string, user string) string {
	if set := sandbox.Variable(environ, "GOPROXY"); set != "" {
		return set
	}
	files := []string{filepath.Join(cmp.Or(sandbox.Variable(environ, "XDG_CONFIG_HOME"), filepath.Join(user, ".config")), "go", "env")}
	for _, dir := range filepath.SplitList(sandbox.Variable(environ, "PATH")) {
		if program, err := filepath.EvalSymlinks(filepath.Join(dir, "go")); err == nil {
			files = append(files, filepath.Join(filepath.Dir(filepath.Dir(program)), "go.env"))
		}
	}
	for _, file := range files {
		text, err := durable.ReadPlain(file)
		if err != nil {
			continue // Go does without it too
		}
		for line := range strings.Lines(string(text)) {
			if set, ok := strings.CutPrefix(strings.TrimSpace(line), "GOPROXY="); ok && set != "" {
				return set
			}
		}
	}
	return "direct"
}
