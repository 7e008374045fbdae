// Package desktop shows messages on this machine's desktop with notify-send or osascript. Texts are
// arguments: no shell and no script reads them. A message that cannot be shown is lost, and nothing
// waits for it long. The caller decides what to show, and whether there is a desktop.
package desktop

import (
	"context"
	"fmt"
	"html"
	"os/exec"
	"time"

	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// limit is how long showing a message may take: a hanging desktop must not hold anything up.
const limit = 2 * time.Second

// maxText limits the length of a message.
const maxText = 300

// Desktop shows messages with one program.
type Desktop struct {
	program string
	line    func(program, title, body string, urgent bool) []string
}

// ways lists the programs that show messages, by preference.
var ways = []struct {
	program string
	line    func(program, title, body string, urgent bool) []string
}{
	{"notify-send", func(program, title, body string, urgent bool) []string {
		level := map[bool]string{false: "normal", true: "critical"}[urgent]
		return []string{program, "--app-name=warp", "--urgency=" + level, "--", title, html.EscapeString(body)} // the body may be parsed as markup
	}},
	{"osascript", func(program, title, body string, _ bool) []string {
		return []string{program, "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run", title, body}
	}},
}

// Find returns the first available program; nil if there is none.
func Find() *Desktop {
	for _, w := range ways {
		if path, err := exec.LookPath(w.program); err == nil {
			return &Desktop{path, w.line}
		}
	}
	return nil
}

func (d *Desktop) Show(ctx context.Context, title, body string, urgent bool) error {
	argv := d.line(d.program, text.VisibleLine(title), text.Visible(text.Clip(body, maxText)), urgent)
	r, err := proc.Run(ctx, proc.Cmd{Argv: argv, Timeout: limit, Grace: time.Millisecond})
	switch {
	case err != nil:
		return fmt.Errorf("showing a message on the desktop: %w", err)
	case r.TimedOut || r.Exit != 0:
		return fmt.Errorf("showing a message on the desktop: %s ended with %d", d.program, r.Exit)
	}
	return nil
}
