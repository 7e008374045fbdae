package turnstile

import (
	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// OwnerFile names the drive's owner for when the state itself cannot be read.
const OwnerFile = ".warp-drive-owner.json"

// Owner is the agent session that owns a drive.
type Owner struct {
	Session string `json:"claude_session_id"`
	PID     int    `json:"pid"`
	Stamp   string `json:"pid_stamp,omitempty"`
}

// OwnerOf returns the owner recorded in a drive's state.
func OwnerOf(s *drivestate.State) Owner {
	return Owner{s.Session.ClaudeSession, s.Session.PID, s.Session.PIDStamp}
}

// Ownership manages the side file that names the owner, next to the state.
type Ownership struct{ project *Project }

// ReadOwner reads the side file. It returns an empty Owner if there is none.
func (w *Ownership) ReadOwner() (o Owner) {
	text, err := w.project.store.ReadFile(stateFolder + "/" + OwnerFile)
	if err != nil || len(text) == 0 {
		return Owner{}
	}
	v, err := lossless.Parse(text)
	if err != nil || lossless.Decode(v, &o) != nil {
		return Owner{}
	}
	return o
}

// IsGone reports whether the owner's process has ended.
func (w *Ownership) IsGone(o Owner) bool { return w.project.env.Started.IsGone(o.PID, o.Stamp) }

// IsGone reports whether the process with this number and start stamp has ended.
func (d *Drive) IsGone(pid int, stamp string) bool {
	return d.Project.env.Started.IsGone(pid, stamp)
}

// save writes the side file if it differs.
func (w *Ownership) save(o Owner) error {
	if w.ReadOwner() == o {
		return nil
	}
	text := append(lossless.AppendIndent(nil, lossless.Encode(o, nil)), '\n')
	return w.project.store.EditFile(stateFolder+"/"+OwnerFile, func([]byte) ([]byte, error) { return text, nil })
}

// set writes the side file, or deletes it if there is no session.
func (w *Ownership) set(o Owner) error {
	if o.Session == "" {
		return w.remove()
	}
	return w.save(o)
}

func (w *Ownership) remove() error { return w.project.store.RemoveFile(stateFolder + "/" + OwnerFile) }

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
