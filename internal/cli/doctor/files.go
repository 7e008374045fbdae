package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// store takes the lock, as every write does.
func store(x exam) []Finding {
	s := x.drive.Store()
	if !s.Exists() {
		if err := durable.CheckWritable(x.drive.Root()); err != nil {
			return []Finding{problem("store", err.Error(), "nothing can be written until "+x.drive.Root()+" is a folder that you may write to")}
		}
		return nil
	}
	if err := s.Try(); err != nil {
		return []Finding{problem("store", err.Error(), "nothing can be written until "+s.Dir()+" is a folder that you may write to")}
	}
	return []Finding{ok("store", "can be written")}
}

func settings(x exam) []Finding {
	cfg, err := x.drive.Project.Settings()
	if err != nil {
		return []Finding{problem("settings", err.Error(), "warp config set KEY VALUE, or edit the file")}
	}
	if len(cfg.Warnings) > 0 {
		return []Finding{warning("settings", strings.Join(cfg.Warnings, "; "), "")}
	}
	return []Finding{ok("settings", fmt.Sprintf("%d set, the rest are defaults", len(cfg.Set)))}
}

func state(x exam) []Finding {
	var out []Finding
	v, err := x.drive.Read()
	switch {
	case durable.IsMissing(err):
		out = append(out, checkLostState(x))
	case err != nil:
		fix := "warp doctor --rebuild, or warp stop --hard"
		if errors.Is(err, fs.ErrPermission) {
			fix = "make it readable for you"
		}
		out = append(out, problem("state", err.Error(), fix))
	case v.Stale && v.State.Phase.Active():
		out = append(out, warning("state", fmt.Sprintf("phase %s, stale: process %d is gone", v.State.Phase, v.State.Session.PID), evidence.RepeatCaps("run warp resume, or warp stop --hard", v.State.Issue(), v.State.Session.Caps)))
	default:
		out = append(out, ok("state", "phase "+string(v.State.Phase)))
	}
	for _, n := range v.Notes {
		out = append(out, warning("state", n, ""))
	}
	if v.Unsigned && (v.Foreign || v.State.Session.ClaudeSession == "") { // hooks write the state of a session
		out = append(out, warning("state", "warp did not write this content: another tool did, or another key is in use", "the file is used; its claims are checked again"))
	}
	if v.Foreign {
		out = append(out, warning("state", "the file is not what the journal last recorded: another tool wrote it, or the disk lost a write", "the file is used; warp doctor --rebuild restores the journal's state"))
	}
	entries, err := os.ReadDir(x.drive.Store().Dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out = append(out, problem("state", err.Error(), "make the folder readable"))
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), turnstile.StateFile+".damaged-") {
			out = append(out, warning("state", "a damaged state was set aside as "+e.Name(), "look at it, then remove it"))
		}
	}
	return out
}

// checkLostState distinguishes a state that never existed from one that was lost.
func checkLostState(x exam) Finding {
	known, removed := x.drive.Doc().Known()
	if known && !removed {
		return warning("state", "there is no state file, but the journal has a session", "warp doctor --rebuild restores it")
	}
	return ok("state", "no session")
}

func journal(x exam) []Finding {
	rows, recovered, signed, last := 0, 0, 0, ""
	audit := evidence.Audit{Mark: x.drive.Store().Mark()}
	damaged, err := x.drive.Store().Events(func(r event.Row) bool {
		rows++
		last = r.At
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
		return []Finding{problem("journal", err.Error(), "make .claude/state readable")}
	}
	out := []Finding{ok("journal", fmt.Sprintf("%s, %d of them signed", text.Count(rows, "row"), signed)), clock(x, last)}
	for _, w := range audit.Describe() {
		out = append(out, warning("journal", w, "its claims are checked again; look at .claude/state if you did not expect this"))
	}
	if damaged > 0 {
		out = append(out, warning("journal", fmt.Sprintf("%d damaged lines (from a crash or a full disk) are skipped", damaged), ""))
	}
	if recovered > 0 {
		out = append(out, warning("journal", fmt.Sprintf("the state was repaired %s", text.Count(recovered, "time")), ""))
	}
	return out
}

// clock compares the machine's clock with the journal's newest row and the last commit: budgets
// and heartbeats need time that goes forward, and a clock wrong by years breaks every encrypted
// connection.
func clock(x exam, last string) Finding {
	const shown = "2006-01-02 15:04 MST"
	now := x.app.Env.Now()
	here := now.Local().Format(shown)
	committed, _, _ := x.ask("git", "log", "-1", "--format=%cI")
	for _, c := range []struct{ what, at string }{{"the last row of the journal", last}, {"the last commit", committed}} {
		if at, err := time.Parse(time.RFC3339, c.at); err == nil && at.After(now.Add(time.Minute)) {
			return warning("clock", here+" is before "+c.what+", "+at.Local().Format(shown), "set the clock")
		}
	}
	return ok("clock", here)
}

func locks(x exam) []Finding {
	leases, err := x.drive.Store().Leases()
	if err != nil {
		return []Finding{problem("locks", err.Error(), "make .claude/locks readable")}
	}
	host := app.Hostname()
	now := x.app.Env.Now()
	var out []Finding
	for _, l := range leases {
		age := l.Age(now).Round(1e9)
		if l.Stale(host, x.app.Env.Started, now) {
			out = append(out, warning("locks", fmt.Sprintf("%s: stale, process %d is gone, last heartbeat %s ago", l.Session, l.PID, age), "the next start takes it over"))
		} else {
			out = append(out, ok("locks", fmt.Sprintf("%s: held by process %d, last heartbeat %s ago", l.Session, l.PID, age)))
		}
	}
	bad, err := x.drive.Store().DamagedLeases()
	if err != nil {
		return []Finding{problem("locks", err.Error(), "make .claude/locks readable")}
	}
	for _, l := range bad {
		out = append(out, warning("locks", fmt.Sprintf("the lock of %s is damaged: %v", l.Session, l.Why), "warp locks clean removes it, and the next start takes it over"))
	}
	if out == nil {
		out = append(out, ok("locks", "none are held"))
	}
	return out
}
