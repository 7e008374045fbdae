package doctor

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/cli/initcmd"
	"warp/internal/core/lossless"
)

// hooks reports whether the project is set up for hooks, and as this version of
// warp would do it. A file that is no JSON disables every hook in silence, so
// that is worse than none.
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

// registered holds what is there against what this version sets up.
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
		out = append(out, problem("git hooks", "git does not run warp's: missing, outdated, or overwritten by another tool: "+strings.Join(gits, ", "), "warp init repairs it, and chains the other tool's"))
	}
	return out
}
