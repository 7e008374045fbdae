package inboxcmd

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

// Alarm alerts the person at this machine to messages that are also sent elsewhere, but never
// inside an agent's run. Nothing relies on it being noticed. A nil Alarm does nothing.
type Alarm struct {
	level   string
	project string
	desktop *desktop.Desktop // nil if there is none
	bell    io.Writer        // nil without a terminal
}

// NewAlarm returns the alarm of a project.
func NewAlarm(a *app.App, s config.Settings, root string) *Alarm {
	if a.Getenv("WARP_ROLE") != "" || s.Desktop != nil && !*s.Desktop {
		return nil
	}
	x := &Alarm{level: s.Notify, project: filepath.Base(root)}
	if s.Desktop != nil || runtime.GOOS == "darwin" || a.Getenv("DISPLAY") != "" || a.Getenv("WAYLAND_DISPLAY") != "" {
		x.desktop = desktop.Find()
	}
	if f, ok := a.Err.(*os.File); ok && a.Terminal && render.IsTerminal(f) { // the output may be a view's
		x.bell = f
	}
	return x
}

// Sound alerts the person if the message is urgent and wanted.
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
