package turnstile

import (
	"strconv"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// Glance is a drive as its file has it, without what observers have reported since.
type Glance struct {
	// State has the phase and the session alone, which tell whose drive it is and whether it
	// is over. nil: only a look into the journal can tell.
	State *drivestate.State
	drive *Drive
	file  durable.Glance[drivestate.State]
}

// Glance looks at the drive's file alone, and parses no more of it than it tells.
func (d *Drive) Glance() Glance {
	file, ok := d.doc.file.Glance()
	if !ok {
		return Glance{drive: d}
	}
	var s drivestate.State
	err := file.Members(func(key string, raw []byte) {
		switch key {
		case "phase":
			s.Phase = drivestate.Phase(lossless.Plain(raw))
		case "session":
			glanceSession(raw, &s.Session)
		}
	})
	if err != nil || !s.Phase.Known() {
		return Glance{drive: d}
	}
	return Glance{&s, d, file}
}

// Peek looks into the journal too.
func (g Glance) Peek() (View, error) { return g.drive.doc.peek(g.file, g.State != nil) }

// glanceSession reads who drives, by name: decoding by description costs a tenth of a hook.
func glanceSession(raw []byte, s *drivestate.Session) {
	_ = lossless.Scan(raw, func(key string, raw []byte) { // what makes no sense is told by Peek
		switch key {
		case "claude_session_id":
			s.ClaudeSession = lossless.Plain(raw)
		case "headless":
			s.Headless = string(raw) == "true"
		case "pid":
			s.PID, _ = strconv.Atoi(string(raw))
		case "pid_stamp":
			s.PIDStamp = lossless.Plain(raw)
		}
	})
}
