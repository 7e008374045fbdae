package trustcmd

import (
	"strings"

	"warp/internal/cli/app"
	"warp/internal/ui/render"
)

// indent prints what a file says, set off from what warp says about it.
func indent(a *app.App, text string) {
	for line := range strings.Lines(text) {
		a.Printf("    %s\n", render.Printable(strings.TrimRight(line, "\r\n")))
	}
}
