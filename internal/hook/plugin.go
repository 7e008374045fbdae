package hook

import (
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// pluginVariable is set by Claude Code only for hooks of a plugin.
const pluginVariable = "CLAUDE_PLUGIN_ROOT"

// runsTwice reports whether this call comes from warp's plugin although the project's settings
// call warp too: Claude Code runs both, and every edit would count twice. The project's
// registration answers.
func (p *hookPayload) runsTwice(folder string, getenv func(string) string) bool {
	if getenv(pluginVariable) == "" {
		return false
	}
	for _, name := range [...]string{"settings.json", "settings.local.json"} {
		text, err := durable.ReadPlain(filepath.Join(folder, ".claude", name))
		if err != nil {
			continue
		}
		doc, err := lossless.Parse(text)
		if err == nil && slices.ContainsFunc(doc.Get("hooks").Get(p.Event).List(), p.callsWarp) {
			return true
		}
	}
	return false
}

// callsWarp reports whether a group of hooks calls warp for this event's tool.
func (p *hookPayload) callsWarp(group *lossless.Value) bool {
	matcher := group.Get("matcher").Text()
	if matcher != "" && matcher != "*" && !slices.Contains(strings.Split(matcher, "|"), p.Tool) {
		return false
	}
	return slices.ContainsFunc(group.Get("hooks").List(), func(entry *lossless.Value) bool {
		line := entry.Get("command").Text()
		return strings.Contains(line, "warp-hook") || strings.Contains(line, "warp hook")
	})
}
