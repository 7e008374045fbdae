package turnstile

import (
	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// Adopt makes an agent's session the owner of an active drive that has none:
// it was never owned, its owner's process is gone, it was this very session in
// another process, or the person has cleared this process's conversation, which
// gives it another id. A drive that an engine is at stays the engine's, also when
// that was killed: a person resumes or ends it. It tells whether the session owns
// the drive now.
func (d *Drive) Adopt(session string, pid int, cleared bool) (bool, error) {
	if session == "" {
		return false, nil
	}
	me := Owner{Session: session, PID: pid}
	me.Stamp, _ = d.Project.env.Started(pid)
	owns := false
	_, err := d.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		s := tx.Doc
		was := OwnerOf(s)
		same := cleared && was.PID == me.PID && was.Stamp == me.Stamp // one process, another conversation
		owns = s.Phase.Active() && !s.Session.Headless && (was.Session == "" || was.Session == session || same || d.Ownership.IsGone(was))
		if !owns || was == me {
			return durable.ErrUnchanged
		}
		s.Own(me.Session, me.PID, me.Stamp)
		d.doc.fold(tx)
		tx.Log("adopted", map[string]string{"session": session, "from": was.Session})
		return nil
	})
	if err != nil || !owns {
		return false, err
	}
	registerDrive(d.Root(), session)
	return true, d.Ownership.save(me)
}
