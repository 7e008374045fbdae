package doctor

import (
	"path/filepath"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// pluginName is what settings call warp's plugin, before the name of a marketplace.
const pluginName = "warp-drive@"

// pluginEnabled says which settings switch warp's plugin for Claude Code on; "": none. The
// nearer ones count: the user's, then the project's, then those of this machine.
func pluginEnabled(x exam) (file string) {
	user := x.app.Getenv("CLAUDE_CONFIG_DIR")
	if user == "" {
		user = filepath.Join(x.app.Getenv("HOME"), ".claude")
	}
	project := filepath.Join(x.drive.Root(), ".claude")
	for _, path := range []string{filepath.Join(user, "settings.json"), filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json")} {
		text, err := durable.ReadPlain(path)
		if err != nil {
			continue
		}
		doc, err := lossless.Parse(text)
		if err != nil || doc.Get("enabledPlugins") == nil {
			continue
		}
		for _, m := range doc.Get("enabledPlugins").Members {
			if !strings.HasPrefix(m.Key, pluginName) {
				continue
			}
			if file = path; m.Value.Raw != "true" {
				file = ""
			}
		}
	}
	return file
}

// plugin says that warp's plugin is there, too: the project's own hooks answer then.
func plugin(x exam, registered bool) []Finding {
	file := pluginEnabled(x)
	switch {
	case file == "":
		return nil
	case registered:
		return []Finding{ok("plugin", "enabled in "+file+"; the project's own hooks answer, each event once")}
	}
	return []Finding{ok("plugin", "enabled in "+file+", and its hooks answer")}
}
