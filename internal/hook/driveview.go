package hook

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// sight is the drive as the caller sees it. It caches what it has read.
type sight struct {
	drive *turnstile.Drive
	who   caller
	file  *turnstile.Glance // nil until the file was read
	whole *turnstile.View   // nil until the view was read
}

// glance returns the state from the drive's file; nil without a drive. It is enough for owner and
// phase, and its cost does not grow with the journal.
func (s *sight) glance() (*drivestate.State, error) {
	if s.whole != nil {
		return s.whole.State, nil
	}
	if s.readFile(); s.file != nil && s.file.State != nil {
		return s.file.State, nil
	}
	v, err := s.view()
	if err != nil || v == nil {
		return nil, err
	}
	return v.State, nil
}

// readFile reads the drive's file if there is one.
func (s *sight) readFile() {
	if s.file == nil && turnstile.HasState(s.drive.Root()) {
		g := s.drive.Glance()
		s.file = &g
	}
}

// view returns the drive with its observers' reports; nil without a drive.
func (s *sight) view() (*turnstile.View, error) {
	if s.whole != nil {
		return s.whole, nil
	}
	if s.readFile(); s.file == nil {
		return nil, nil
	}
	v, err := s.file.Peek()
	if durable.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.whole = &v
	return s.whole, nil
}

// forget drops the cache.
func (s *sight) forget() { s.file, s.whole = nil, nil }

// viewOwned returns the drive if it is active and belongs to this session; nil otherwise. An
// unreadable state is an error only for the session that the owner file names, or for all if it
// names none.
func (s *sight) viewOwned() (*turnstile.View, error) {
	state, err := s.glance()
	if err == nil && (state == nil || !s.who.owns(state)) {
		return nil, nil
	}
	v := (*turnstile.View)(nil)
	if err == nil {
		v, err = s.view()
	}
	if err != nil {
		if o := s.drive.Ownership.ReadOwner(); o.Session != "" && o.Session != s.who.session {
			return nil, nil
		}
		return nil, err
	}
	if v == nil || !s.who.owns(v.State) {
		return nil, nil
	}
	if v.State.Frozen == nil && s.drive.Watch.IsTampered(*v) {
		v.State.Frozen = &drivestate.Freeze{State: true} // the next writer records it
	}
	return v, nil
}

// checkLoss returns how the session's drive was taken from it; nil if it was not.
func (s *sight) checkLoss() error {
	if turnstile.HasState(s.drive.Root()) {
		if s.drive.WasTakenFrom(s.who.session) {
			return errors.New("the state of this drive was changed outside warp: it now says that the drive is over, or belongs to another session")
		}
		return nil
	}
	if session, lost := turnstile.FindLostDrive(s.drive.Root()); lost && session != "" && session == s.who.session {
		return errors.New("the state of this drive was deleted outside warp")
	}
	return nil
}

// findOwner returns the living session that owns the active drive; "" if none.
func (s *sight) findOwner() string {
	state, err := s.glance()
	if err != nil || state == nil || !state.Phase.Active() {
		return ""
	}
	o := turnstile.OwnerOf(state)
	if s.drive.Ownership.IsGone(o) {
		return ""
	}
	return o.Session
}

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

// viewInTime returns the drive that the session owns, after checking its time budgets. If one has
// run out, it parks the drive for a person and tells the session; before a tool runs, by refusing
// the call once.
func (c *call) viewInTime() (*turnstile.View, error) {
	v, err := c.sight.viewOwned()
	if err != nil || v == nil || c.who.headless || c.who.relayed || !v.State.MayBeOutOfTime(c.env.System.Now()) {
		return v, err
	}
	// Look at the branches first: the next phase would forbid moves that this one allows.
	if sight, err := c.drive.Watch.InspectBranches(*v); err != nil || sight.Frozen != nil {
		return v, err
	}
	from := v.State.Phase
	reasons, to, err := c.drive.ParkIfOutOfTime()
	if err != nil || len(reasons) == 0 {
		return v, nil // broken settings: the next event reports them
	}
	why := fmt.Sprintf("time is up (%s): %s -> %s. Say what was done and what is left, and stop. A person decides: warp continue resets the budget, warp stop ends it.", strings.Join(reasons, ", "), from, to)
	if c.Event == "PreToolUse" {
		c.answer.deny(why)
	} else {
		c.answer.tell(why)
	}
	c.answer.Message = prefix + why
	c.sight.forget()
	return c.sight.viewOwned()
}

// parkIfOutOfTime checks the owner's time budgets after a tool has run.
func parkIfOutOfTime(c *call) error {
	_, err := c.viewInTime()
	return err
}
