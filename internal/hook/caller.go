package hook

import (
	"cmp"
	"strconv"

	"warp/internal/core/drivestate"
)

// caller is whom a hook speaks for: an agent's session and its process.
type caller struct {
	session  string
	parent   int // the process that started the hook
	getenv   func(string) string
	headless bool // a headless engine has started the session: it moves the drive itself
	relayed  bool // it is in a sandbox, and may be lying
	renewed  bool // its conversation was cleared or forked: it has another id, in the same process
}

// namedPID is the agent's process as it says; 0: it does not.
func (w caller) namedPID() int {
	pid, err := strconv.Atoi(w.getenv("CLAUDE_PID"))
	if err != nil {
		return 0
	}
	return max(pid, 0)
}

// pid is the agent's own process.
func (w caller) pid() int { return cmp.Or(w.namedPID(), w.parent) }

// owns tells whether an active drive belongs to this session, or to the engine that runs it.
func (w caller) owns(s *drivestate.State) bool {
	return s.Phase.Active() && w.session != "" && (s.Session.ClaudeSession == w.session || w.isRunByEngine(s))
}

// isRunByEngine tells whether the session was started by the engine that is at the
// drive: it obeys the drive's table as its owner does, and owns nothing.
func (w caller) isRunByEngine(s *drivestate.State) bool { return w.headless && s.Session.Headless }

// guides tells whether this session is the mind of the drive: an engine runs it, and asks
// the session through warp next.
func (w caller) guides(s *drivestate.State) bool {
	if !s.IsGuided() || w.headless || w.relayed {
		return false
	}
	return s.Session.ClaudeSession == w.session || w.renewed && s.Session.MindPID > 0 && s.Session.MindPID == w.pid()
}
