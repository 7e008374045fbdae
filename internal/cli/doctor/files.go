package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// store takes the lock, as every write has to.
func store(x exam) []finding {
	s := x.drive.Store()
	if !s.Exists() {
		return nil
	}
	if err := s.Try(); err != nil {
		return []finding{needsFix("store", err.Error(), "nothing can be written until "+s.Dir()+" is a folder that you may write to")}
	}
	return []finding{ok("store", "can be written")}
}

func settings(x exam) []finding {
	cfg, err := x.drive.Project.Settings()
	if err != nil {
		return []finding{needsFix("settings", err.Error(), "warp config set KEY VALUE, or edit the file")}
	}
	if len(cfg.Warnings) > 0 {
		return []finding{note("settings", strings.Join(cfg.Warnings, "; "), "")}
	}
	return []finding{ok("settings", fmt.Sprintf("%d set, the rest are defaults", len(cfg.Set)))}
}

func state(x exam) []finding {
	var out []finding
	v, err := x.drive.Read()
	switch {
	case durable.IsMissing(err):
		out = append(out, lost(x))
	case err != nil:
		fix := "warp doctor --rebuild, or warp stop --hard"
		if errors.Is(err, fs.ErrPermission) {
			fix = "make it readable for you"
		}
		out = append(out, needsFix("state", err.Error(), fix))
	case v.Stale && v.State.Phase.Active():
		out = append(out, note("state", fmt.Sprintf("phase %s, stale: process %d is gone", v.State.Phase, v.State.Session.PID), "run warp resume, or warp stop --hard"))
	default:
		out = append(out, ok("state", "phase "+string(v.State.Phase)))
	}
	for _, n := range v.Notes {
		out = append(out, note("state", n, ""))
	}
	if v.Unsigned && (v.Foreign || v.State.Session.ClaudeSession == "") { // hooks write the state of a session
		out = append(out, note("state", "warp did not write this content: another tool did, or another key is in use", "the file counts; its claims are proven again"))
	}
	if v.Foreign {
		out = append(out, note("state", "the file is not what the journal last recorded: another tool wrote it, or the disk lost a write", "the file counts; warp doctor --rebuild restores the journal's state"))
	}
	entries, err := os.ReadDir(x.drive.Store().Dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out = append(out, needsFix("state", err.Error(), "make the folder readable"))
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), turnstile.StateFile+".damaged-") {
			out = append(out, note("state", "a damaged state was set aside as "+e.Name(), "look at it, then remove it"))
		}
	}
	return out
}

// lost distinguishes a state that never was from one that was lost.
func lost(x exam) finding {
	known, removed := x.drive.Doc().Known()
	if known && !removed {
		return note("state", "there is no state file, but the journal has a session", "warp doctor --rebuild restores it")
	}
	return ok("state", "no session")
}

func journal(x exam) []finding {
	rows, recovered, signed := 0, 0, 0
	audit := evidence.Audit{Mark: x.drive.Store().Mark()}
	damaged, err := x.drive.Store().Events(func(r event.Row) bool {
		rows++
		audit.Take(r, x.app.Env.Now())
		if r.Standing == event.Signed {
			signed++
		}
		if r.Kind == event.Recovered || r.Name == event.Recovered {
			recovered++
		}
		return true
	})
	if err != nil {
		return []finding{needsFix("journal", err.Error(), "make .claude/state readable")}
	}
	out := []finding{ok("journal", fmt.Sprintf("%d rows, %d of them signed", rows, signed))}
	for _, w := range audit.Words() {
		out = append(out, note("journal", w, "its claims are proven again; look at .claude/state if you did not expect this"))
	}
	if damaged > 0 {
		out = append(out, note("journal", fmt.Sprintf("%d damaged lines (from a crash or a full disk) are skipped", damaged), ""))
	}
	if recovered > 0 {
		out = append(out, note("journal", fmt.Sprintf("the state was repaired %d times", recovered), ""))
	}
	return out
}

func locks(x exam) []finding {
	leases, err := x.drive.Store().Leases()
	if err != nil {
		return []finding{needsFix("locks", err.Error(), "make .claude/locks readable")}
	}
	host, _ := os.Hostname()
	now := x.app.Env.Now()
	var out []finding
	for _, l := range leases {
		age := l.Age(now).Round(1e9)
		if l.Stale(host, x.app.Env.Started, now) {
			out = append(out, note("locks", fmt.Sprintf("%s: stale, process %d is gone, last heartbeat %s ago", l.Session, l.PID, age), "the next start takes it over"))
		} else {
			out = append(out, ok("locks", fmt.Sprintf("%s: held by process %d, last heartbeat %s ago", l.Session, l.PID, age)))
		}
	}
	bad, err := x.drive.Store().DamagedLeases()
	if err != nil {
		return []finding{needsFix("locks", err.Error(), "make .claude/locks readable")}
	}
	for _, l := range bad {
		out = append(out, note("locks", fmt.Sprintf("the lock of %s is damaged: %v", l.Session, l.Why), "warp locks clean removes it, and the next start takes it over"))
	}
	if out == nil {
		out = append(out, ok("locks", "none are held"))
	}
	return out
}
