package turnstile

import (
	"strconv"

	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// Glance is a drive as its file has it, without later observations.
type Glance struct {
	// State has only the phase and the session, enough to tell whose drive it is and whether it is
	// over. It is nil if only the journal can tell.
	State *drivestate.State
	drive *Drive
	file  durable.Glance[drivestate.State]
}

// Glance reads only the drive's file, and parses only the members it needs.
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

// Peek also reads the journal.
func (g Glance) Peek() (View, error) { return g.drive.doc.peek(g.file, g.State != nil) }

// glanceSession reads the session by member names: decoding by reflection takes a tenth of a hook's
// time.
func glanceSession(raw []byte, s *drivestate.Session) {
	_ = lossless.Scan(raw, func(key string, raw []byte) { // Peek reports nonsense
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
