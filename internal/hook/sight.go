package hook

import (
	"errors"

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
