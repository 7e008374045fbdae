package doctor

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/cli/initcmd"
	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// hooks checks that the project's hooks are registered as this version of warp would. A file
// that is not JSON silently disables every hook, which is worse than having none.
func hooks(x exam) []Finding {
	const file = ".claude/settings.json"
	text, err := x.drive.Store().ReadFile(file)
	if err != nil {
		return []Finding{problem("hooks", err.Error(), "make "+file+" readable")}
	}
	if len(text) > 0 {
		if _, err := lossless.Parse(text); err != nil {
			return []Finding{problem("hooks", fmt.Sprintf("%s is not valid JSON: %v", file, err), "fix it: Claude Code silently ignores all hooks of such a file")}
		}
	}
	names := initcmd.Registered(x.drive)
	if len(names) == 0 {
		if found := plugin(x, false); found != nil {
			return append(found, warning("git hooks", "the plugin has none, so programs that run git are not guarded", "warp init adds them"))
		}
		return []Finding{warning("hooks", "none are registered in "+file, "warp init registers them; without them a Claude Code session is not guarded")}
	}
	return append(registered(x, names), plugin(x, slices.Contains(names, "claude"))...)
}

// registered compares what is registered with what this version sets up.
func registered(x exam, names []string) []Finding {
	changes, err := initcmd.Pending(x.ctx, x.drive)
	if err != nil {
		return []Finding{problem("hooks", err.Error(), "then run warp init")}
	}
	if len(changes) == 0 {
		return []Finding{ok("hooks", "registered for "+strings.Join(names, ", ")+", and git's hooks are in place")}
	}
	var files, gits []string
	for _, c := range changes {
		if c.Git {
			gits = append(gits, c.Path)
		} else {
			files = append(files, c.Path)
		}
	}
	var out []Finding
	if files != nil {
		out = append(out, problem("hooks", "not as this version sets them up: "+strings.Join(files, ", "), "warp init repairs it (with --agent for another than Claude Code)"))
	}
	if gits != nil {
		out = append(out, warning("git hooks", "git does not run warp's: missing, outdated, or overwritten by another tool: "+strings.Join(gits, ", ")+"; a night can run, but what programs do with git in a guided drive is seen only afterwards", "warp init repairs it, and chains the other tool's"))
	}
	return out
}

// permissions warns if a model may run what only a person may decide.
func permissions(x exam) []Finding {
	text, err := x.drive.Store().ReadFile(config.File)
	if err != nil || !slices.Contains(config.RulesIn(text)["allow"], config.Blanket) {
		return nil
	}
	return []Finding{problem("permissions", "a model may approve issues, answer questions and start drives without asking: "+config.Blanket+" in "+config.File,
		"warp init removes it if warp wrote it; else remove it yourself")}
}

// pluginName is the name of warp's plugin in settings, before the marketplace.
const pluginName = "warp-drive@"

// pluginEnabled returns which settings enable warp's plugin for Claude Code, or "". Later files
// override: the user's, the project's, then the local ones.
func pluginEnabled(x exam) (file string) {
	user := x.app.Getenv("CLAUDE_CONFIG_DIR")
	user = cmp.Or(user, filepath.Join(x.app.Getenv("HOME"), ".claude"))
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

// plugin reports that warp's plugin is enabled too; the project's own hooks take precedence.
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
