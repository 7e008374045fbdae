package hook

import (
	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// glanceDrive is the drive as its file has it, nil without one: enough for its owner and
// phase, at a cost that does not grow with the journal.
func (c *call) glanceDrive() (*drivestate.State, error) {
	if c.sight != nil {
		return c.sight.State, nil
	}
	if c.lookOnce(); c.seen != nil && c.seen.State != nil {
		return c.seen.State, nil
	}
	v, err := c.viewDrive()
	if err != nil || v == nil {
		return nil, err
	}
	return v.State, nil
}

// lookOnce reads the drive's file, where there is one.
func (c *call) lookOnce() {
	if c.seen == nil && turnstile.HasState(c.drive.Root()) {
		g := c.drive.Glance()
		c.seen = &g
	}
}

// viewDrive reads the drive with what observers have reported, once; nil without a drive.
func (c *call) viewDrive() (*turnstile.View, error) {
	if c.sight != nil {
		return c.sight, nil
	}
	if c.lookOnce(); c.seen == nil {
		return nil, nil
	}
	v, err := c.seen.Peek()
	if durable.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c.sight = &v
	return c.sight, nil
}

// forgetDrive forgets what was read of the drive.
func (c *call) forgetDrive() { c.seen, c.sight = nil, nil }

// viewOwned returns the drive when it is active and belongs to this session, and nil when it
// does not concern it. A state that cannot be read is an error only for the session that
// the side file names, or when it names none.
func (c *call) viewOwned() (*turnstile.View, error) {
	s, err := c.glanceDrive()
	if err == nil && (s == nil || !c.owns(s)) {
		return nil, nil
	}
	v := (*turnstile.View)(nil)
	if err == nil {
		v, err = c.viewDrive()
	}
	if err != nil {
		if o := c.drive.Ownership.ReadOwner(); o.Session != "" && o.Session != c.Session {
			return nil, nil
		}
		return nil, err
	}
	if v == nil || !c.owns(v.State) {
		return nil, nil
	}
	if v.State.Frozen == nil && c.drive.Watch.IsTampered(*v) {
		v.State.Frozen = &drivestate.Freeze{State: true} // the next writer records it
	}
	return v, nil
}

// owns tells whether an active drive belongs to this session, or to the engine that runs it.
func (c *call) owns(s *drivestate.State) bool {
	return s.Phase.Active() && c.Session != "" && (s.Session.ClaudeSession == c.Session || c.isRunByEngine(s))
}
