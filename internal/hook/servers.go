package hook

import (
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// serverTool begins the names of the tools of MCP servers: mcp__SERVER__TOOL.
const serverTool = "mcp__"

// writingWords are parts of the names of tools that change files.
var writingWords = []string{"write", "edit", "create", "move", "rename", "delete", "remove", "replace", "insert", "append", "patch", "save", "update", "copy"}

// mayWrite reports whether the tool can change files.
func (p *hookPayload) mayWrite() bool {
	return p.Tool == "Bash" || p.Tool == patchTool || fileTools.Get(p.Tool) != "" || strings.HasPrefix(p.Tool, serverTool)
}

// listServersFiles returns the files that a tool of an MCP server would write. No schema says which
// input names one, so each that is called a path or a file counts.
func (p *hookPayload) listServersFiles() (files []string) {
	name, ok := strings.CutPrefix(p.Tool, serverTool)
	if _, tool, named := strings.Cut(name, "__"); !ok || !named || !slices.ContainsFunc(writingWords, func(w string) bool { return strings.Contains(strings.ToLower(tool), w) }) {
		return nil
	}
	add := func(text string) {
		text = strings.TrimPrefix(text, "file://")
		if text != "" && !strings.Contains(text, "\n") && !strings.Contains(text, "://") {
			files = append(files, text)
		}
	}
	_ = lossless.Scan(p.Input, func(key string, raw []byte) { // what comes before an error counts
		key = strings.ToLower(key)
		if !slices.ContainsFunc([]string{"path", "file", "source", "destination", "uri"}, func(w string) bool { return strings.Contains(key, w) }) {
			return
		}
		add(lossless.Plain(raw))
		if list, err := lossless.Parse(raw); err == nil {
			for _, one := range list.List() {
				add(one.Text())
			}
		}
	})
	return files
}
