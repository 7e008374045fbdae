package turnstile

import (
	"errors"

	"warp/internal/core/drive"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// OwnerFile tells whose drive it is when the state itself cannot be read.
const OwnerFile = ".warp-drive-owner.json"

// Owner is the agent's session that a drive belongs to.
type Owner struct {
	Session string `json:"claude_session_id"`
	PID     int    `json:"pid"`
	Stamp   string `json:"pid_stamp,omitempty"`
}

// OwnerOf is the session that a drive says it belongs to.
func OwnerOf(s *drive.State) Owner {
	return Owner{s.Session.ClaudeSession, s.Session.PID, s.Session.PIDStamp}
}

// Owner reads the side file; an empty Owner when there is none.
func (d *Drive) Owner() (o Owner) {
	text, err := d.store.ReadFile(stateFolder + "/" + OwnerFile)
	if err != nil || len(text) == 0 {
		return Owner{}
	}
	v, err := lossless.Parse(text)
	if err != nil || lossless.Decode(v, &o) != nil {
		return Owner{}
	}
	return o
}

// Gone tells whether the owner's process has ended.
func (d *Drive) Gone(o Owner) bool {
	if o.PID <= 0 {
		return true
	}
	stamp, alive := d.env.Started(o.PID)
	return !alive || o.Stamp != "" && stamp != "" && stamp != o.Stamp
}

// errUnchanged ends an update that has nothing to write.
var errUnchanged = errors.New("nothing has to be changed")

// Adopt makes an agent's session the owner of an active drive that has none:
// nobody owns it yet, its owner's process is gone, it was this very session in
// another process, or the person has cleared this process's conversation, which
// gives it another id. It tells whether the session owns the drive now.
func (d *Drive) Adopt(session string, pid int, cleared bool) (bool, error) {
	if session == "" {
		return false, nil
	}
	me := Owner{Session: session, PID: pid}
	me.Stamp, _ = d.env.Started(pid)
	owns := false
	_, err := d.update(func(tx *durable.Tx[drive.State]) error {
		s := tx.Doc
		was := OwnerOf(s)
		same := cleared && was.PID == me.PID && was.Stamp == me.Stamp // one process, another conversation
		owns = s.Phase.Active() && (was.Session == "" || was.Session == session || same || d.Gone(was))
		if !owns || was == me {
			return errUnchanged
		}
		s.Own(me.Session, me.PID, me.Stamp)
		cfg, _ := d.Settings() // only the doom-loop threshold is wanted
		s.Fold(tx.Since, cfg.Limits)
		tx.Log("adopted", map[string]string{"session": session, "from": was.Session})
		return nil
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		return false, err
	}
	if !owns {
		return false, nil
	}
	d.enlist(session)
	return true, d.keepOwner(me)
}

// keepOwner writes the side file where it differs.
func (d *Drive) keepOwner(o Owner) error {
	if d.Owner() == o {
		return nil
	}
	text := append(lossless.AppendIndent(nil, lossless.Encode(o, nil)), '\n')
	return d.store.EditFile(stateFolder+"/"+OwnerFile, func([]byte) ([]byte, error) { return text, nil })
}
