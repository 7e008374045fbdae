package session

import (
	"fmt"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/place"
)

// nameBranch chooses the session's branch and records the one it begins on, before either is used,
// so that a killed session finds both.
func (l *lane) nameBranch(s *sessionstate.State) error {
	if l == nil {
		return nil
	}
	repo := l.land.Work.Repo()
	head, err := repo.Head()
	if err != nil || head == "" {
		return err
	}
	if s.BeganOn, err = repo.Branch(); err != nil {
		return err
	}
	s.Branch = place.FreeBranch(repo, "session/"+s.Session, head)
	for n := 2; s.Branch == s.BeganOn || l.run.lanes.isTaken(s); n++ {
		s.Branch = place.FreeBranch(repo, fmt.Sprintf("session/%s-%d", s.Session, n), head)
	}
	return nil
}

// isTaken reports whether an earlier session of the same name left work where this one would work.
// It must neither start from that nor collide with it.
func (w *lanes) isTaken(s *sessionstate.State) bool {
	places := w.run.shield.places
	taken := places.Exists(placeOf(s.Branch))
	for _, u := range w.run.files.units {
		if name, branch := stageLane(s, u); u.apart {
			_, err := places.Work.Repo().Ref("refs/heads/" + branch)
			taken = taken || err == nil || places.Exists(name)
		}
	}
	return taken
}

// placeOf returns the name of a session's own work tree. It derives from the branch, which stays
// the session's even after the next one of its name has begun.
func placeOf(branch string) string { return strings.ReplaceAll(branch, "/", "-") }

// stageLane returns the work tree and branch of a stage that commits while others run. They share
// the number of the session's branch; stage names contain no @.
func stageLane(s *sessionstate.State, u unit) (name, branch string) {
	stage := u.name
	if number := strings.TrimPrefix(s.Branch, "session/"+s.Session); number != "" {
		stage += "@" + strings.TrimPrefix(number, "-")
	}
	return "session-" + s.Session + "-" + stage, "warp/" + s.Session + "/" + stage
}
