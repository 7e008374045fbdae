package hook

import (
	"cmp"
	"strconv"

	"warp/internal/core/drivestate"
)

// caller is the agent's session and process that a hook speaks for.
type caller struct {
	session  string
	parent   int // the process that started the hook
	getenv   func(string) string
	headless bool // a headless engine started the session, and moves the drive itself
	relayed  bool // it runs in a sandbox, and may be lying
	renewed  bool // its conversation was cleared or forked: a new id in the same process
}

// namedPID returns the process that the agent names in CLAUDE_PID; 0 if none.
func (w caller) namedPID() int {
	pid, err := strconv.Atoi(w.getenv("CLAUDE_PID"))
	if err != nil {
		return 0
	}
	return max(pid, 0)
}

// pid returns the agent's process.
func (w caller) pid() int { return cmp.Or(w.namedPID(), w.parent) }

// owns reports whether an active drive belongs to this session or to the engine that runs it.
func (w caller) owns(s *drivestate.State) bool {
	return s.Phase.Active() && w.session != "" && (s.Session.ClaudeSession == w.session || w.isRunByEngine(s))
}

// isRunByEngine reports whether the drive's engine started the session. Such a session obeys the
// drive's table like the owner, but owns nothing.
func (w caller) isRunByEngine(s *drivestate.State) bool { return w.headless && s.Session.Headless }

// guides reports whether this session is the mind of the drive: an engine runs the drive and asks
// the session through warp next.
func (w caller) guides(s *drivestate.State) bool {
	if !s.IsGuided() || w.headless || w.relayed {
		return false
	}
	return s.Session.ClaudeSession == w.session || w.renewed && s.Session.MindPID > 0 && s.Session.MindPID == w.pid()
}
