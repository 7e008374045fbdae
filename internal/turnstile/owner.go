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

// isGone reports whether the owner's process has ended.
func (o Owner) isGone(started durable.Started) bool {
	return o.PID <= 0 || !started.Runs(o.PID, o.Stamp)
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
func (w *Ownership) IsGone(o Owner) bool { return o.isGone(w.project.env.Started) }

// IsGone reports whether the process with this number and start stamp has ended.
func (d *Drive) IsGone(pid int, stamp string) bool {
	return d.Ownership.IsGone(Owner{PID: pid, Stamp: stamp})
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
