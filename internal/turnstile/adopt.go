package turnstile

import (
	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// Adopt makes an agent's session the owner of an active drive without one: it never had an owner,
// the owner's process is gone, the owner was this session in another process, or the person cleared
// this process's conversation, which changes its id. A drive that an engine is working on stays the
// engine's even if the engine was killed: a person resumes or ends it. Adopt reports whether the
// session now owns the drive.
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
		same := cleared && was.PID == me.PID && was.Stamp == me.Stamp // same process, new conversation
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
