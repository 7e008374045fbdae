// Package alarm calls the person at this machine: on the desktop, and by the terminal's
// bell. It does so for what people are told of elsewhere, and never from inside an agent's
// run. Nothing depends on its being noticed.
package alarm

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"warp/internal/adapter/notify/desktop"
	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/engine/notify"
	"warp/internal/ui/render"
)

// Alarm is how the person at this machine is called; nil: not at all.
type Alarm struct {
	level   string
	project string
	desktop *desktop.Desktop // nil: there is none
	bell    io.Writer        // nil: there is no terminal
}

// New makes the alarm of a project that is worked on from a folder.
func New(a *app.App, s config.Settings, root string) *Alarm {
	if a.Getenv("WARP_ROLE") != "" || s.Desktop != nil && !*s.Desktop {
		return nil
	}
	x := &Alarm{level: s.Notify, project: filepath.Base(root)}
	if s.Desktop != nil || hasDisplay(a.Getenv) {
		x.desktop = desktop.Find()
	}
	if f, ok := a.Err.(*os.File); ok && a.Terminal && render.IsTerminal(f) { // the output may be a view's
		x.bell = f
	}
	return x
}

func hasDisplay(getenv func(string) string) bool {
	return runtime.GOOS == "darwin" || getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
}

// Sound calls the person, if the message is one of those that they want to know at once.
func (x *Alarm) Sound(m notify.Message) {
	if x == nil || m.Urgency() == notify.Low || m.Kind == notify.Reply || !notify.Wanted(x.level, m.Kind) {
		return
	}
	if x.bell != nil {
		_, _ = io.WriteString(x.bell, "\a")
	}
	if x.desktop != nil {
		_ = x.desktop.Show(context.Background(), "warp: "+x.project, strings.TrimPrefix(m.Text, notify.Prefix), m.Urgency() == notify.High)
	}
}
