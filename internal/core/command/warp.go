package command

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/lexicon"
)

// idle are variables that change nothing but how a program looks.
var idle = lexicon.Set{List: "NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LINES LANG LANGUAGE TZ"}

// isInherited tells a variable that is in the environment already: setting it is enough,
// and taking it away matters.
func isInherited(name string) bool {
	return name == "PATH" || name == "XDG_STATE_HOME" || strings.HasPrefix(name, "WARP_") || strings.HasPrefix(name, "CLAUDE")
}

// steersWarp names a variable that the text has put into the environment of warp, or taken
// out of it: tests and agents are run with it. "": there is none.
func (r *reader) steersWarp() string {
	for _, name := range slices.Sorted(maps.Keys(r.tamper)) {
		if !idle.Has(name) && !strings.HasPrefix(name, "LC_") {
			return name
		}
	}
	return ""
}

// without notes a variable that is taken out of the environment. Git is steered by none
// that is missing.
func (r *reader) without(name string) {
	if !steersGit(name) {
		r.steer(name)
	}
}
