// Package render prints what people read in a terminal. It gets values and
// writes text; it decides nothing and reads nothing.
package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
)

// Status prints the block of warp status.
func Status(w io.Writer, project string, s *drivestate.State, stale bool) {
	fmt.Fprintf(w, "%s\n", headline(s, stale))
	line := func(name, value string) { fmt.Fprintf(w, "%s: %s\n", name, text.VisibleLine(value)) }
	line("Project", project)
	line("Phase", string(s.Phase))
	line("Issue", dash(s.Issue()))
	line("Branch", dash(s.BranchName()))
	line("Level", fmt.Sprint(s.Session.Level))
	line("Chunk", fmt.Sprintf("%d / %d", s.Chunk.Index, s.Chunk.Total))
	m := s.Metrics
	fmt.Fprintf(w, "Commits: %d Chunks: %d Tests: %d Reports: %d\n", m.Commits, m.ChunksCompleted, m.TestsRun, m.ReportsFiled)
	line("Started", Seconds(s.Session.StartedAt))
	line("PID", fmt.Sprint(s.Session.PID))
	if s.Paused != nil {
		line("Paused", "since "+Seconds(s.Paused.At)+"; warp continue resumes it")
	}
	if s.Phase == drivestate.BudgetExceeded {
		line("Tripped", fmt.Sprintf("%s in %s at %s", strings.Join(s.Budgets.ExceededReasons, ", "), s.Budgets.ExceededFromPhase, Seconds(s.Budgets.ExceededAt)))
	}
	if s.Frozen != nil {
		for _, m := range s.Frozen.Moves {
			line("Frozen", m.String()+" unseen by the guards; put it back, or accept it: warp override --reason \"…\"")
		}
		if s.Frozen.State {
			line("Frozen", "something other than warp wrote the state; accept it: warp override --reason \"…\", or go back: warp doctor --rebuild")
		}
	}
	if w := s.Waiting; w != nil {
		line("Waiting", "until "+Seconds(w.Until)+": "+w.Why)
	}
	if how := s.Session.Sandbox; how != "" && how != "contained" {
		line("Sandbox", "agents are "+how+"; warp doctor says how to get a sandbox")
	}
	if p := s.Permissions; p != nil {
		line("Permissions", fmt.Sprintf("%d asked, %d denied", p.Asked, p.Denied))
	}
	if n := len(s.DoomLoops); n > 0 {
		line("Doom loops", fmt.Sprint(n))
	}
}

// Other is a drive in another work tree.
type Other struct {
	Issue     string `json:"issue"`
	Phase     string `json:"phase"`
	Chunk     int    `json:"chunk"`
	Chunks    int    `json:"chunks"`
	StartedAt string `json:"started_at"`
	Stale     bool   `json:"stale"`
	Paused    bool   `json:"paused"`
	Frozen    bool   `json:"frozen"`
	Root      string `json:"root"`
	Folder    string `json:"-"` // as it is shown
}

// Others prints the drives of other work trees, one on a line.
func Others(w io.Writer, list []Other, now time.Time) {
	if len(list) == 0 {
		return
	}
	rows := [][]string{{"ISSUE", "PHASE", "CHUNK", "AGE", "FOLDER"}}
	for _, o := range list {
		phase := o.Phase
		for _, mark := range []struct {
			is   bool
			word string
		}{{o.Frozen, "frozen"}, {o.Paused, "paused"}, {o.Stale, "stale"}} {
			if mark.is {
				phase += " (" + mark.word + ")"
			}
		}
		issue := "-"
		if o.Issue != "" {
			issue = "#" + o.Issue
		}
		rows = append(rows, []string{issue, phase, fmt.Sprintf("%d / %d", o.Chunk, o.Chunks), age(o.StartedAt, now), o.Folder})
	}
	fmt.Fprintf(w, "\nDrives in other work trees:\n")
	Table(w, rows)
}

// age is the time since a stamp, in its largest whole unit.
func age(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return "-"
	}
	switch d := max(0, now.Sub(t)); {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= time.Minute:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}

func headline(s *drivestate.State, stale bool) string {
	word := "ACTIVE"
	switch {
	case s.Frozen != nil && s.Phase.Active():
		word = "FROZEN"
	case s.Paused != nil:
		word = "PAUSED"
	case s.Phase == drivestate.Completed, s.Phase == drivestate.Aborted, s.Phase == drivestate.Idle:
		word = strings.ToUpper(string(s.Phase))
	}
	if stale && s.Phase.Active() {
		word += " (stale)"
	}
	return "WARP DRIVE " + word
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Seconds shortens a stamp to whole seconds; what is no stamp stays as it is.
func Seconds(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}
