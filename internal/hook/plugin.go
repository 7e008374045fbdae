package hook

import (
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// pluginVariable is what Claude Code tells the hooks of a plugin, and no others.
const pluginVariable = "CLAUDE_PLUGIN_ROOT"

// runsTwice tells whether this call comes from warp's plugin while the project's own
// settings call warp for the same: Claude Code runs both, and every edit would be
// counted twice. The project's registration is the one that answers.
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
		if err == nil && slices.ContainsFunc(listElements(doc.Get("hooks").Get(p.Event)), p.callsWarp) {
			return true
		}
	}
	return false
}

// callsWarp tells whether a group of hooks calls warp for this event's tool.
func (p *hookPayload) callsWarp(group *lossless.Value) bool {
	matcher := group.Get("matcher").Text()
	if matcher != "" && matcher != "*" && !slices.Contains(strings.Split(matcher, "|"), p.Tool) {
		return false
	}
	return slices.ContainsFunc(listElements(group.Get("hooks")), func(entry *lossless.Value) bool {
		line := entry.Get("command").Text()
		return strings.Contains(line, "warp-hook") || strings.Contains(line, "warp hook")
	})
}

func listElements(v *lossless.Value) []*lossless.Value {
	if v == nil {
		return nil
	}
	return v.Elems
}
