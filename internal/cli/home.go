package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// mostRuns is the most drives to name.
const mostRuns = 3

// homeScene is what is known of a project.
type homeScene struct {
	project   string
	level     int
	isNew     bool // warp was not used here yet
	drives    []homeDrive
	questions []questions.Item
	approved  []forge.Issue
	others    []forge.Issue // open but not approved
	last      *drivestate.State
	now       time.Time
}

type homeDrive struct {
	state   *drivestate.State
	stopped bool // no process runs it
	folder  string
}

// showHome prints the scene, or returns app.ErrNoProject.
func showHome(a *app.App) error {
	d, err := a.Project()
	if err != nil {
		return err
	}
	s := lookHome(a, d)
	for _, line := range s.lines() {
		a.Printf("%s\n", text.VisibleLine(line))
	}
	return nil
}

func lookHome(a *app.App, d *turnstile.Drive) homeScene {
	s := homeScene{project: filepath.Base(d.Root()), isNew: !d.Project.Home().Exists(), now: a.Env.Now()}
	if settings, err := d.Project.Settings(); err == nil {
		s.level = settings.Level
	}
	v, err := d.Peek()
	switch {
	case err == nil && v.State.Phase.Active():
		s.drives = append(s.drives, homeDrive{v.State, v.Stale, ""})
	case err == nil:
		s.last = v.State
	case !durable.IsMissing(err):
		a.Note("%v", err)
	}
	for _, o := range app.FindOtherDrives(d, a.Env) {
		if o.Err == nil {
			s.drives = append(s.drives, homeDrive{o.View.State, o.View.Stale, o.Root()})
		}
	}
	s.questions = openQuestions(a, d)
	for _, i := range knownIssues(a, d, false) {
		if i.Has(forge.Approved) {
			s.approved = append(s.approved, i)
		} else {
			s.others = append(s.others, i)
		}
	}
	return s
}

func (s homeScene) lines() []string {
	head := s.project
	if s.level != 0 {
		head += fmt.Sprintf(", level %d", s.level)
	}
	lines := []string{head, ""}
	for i, d := range s.drives {
		if i == mostRuns {
			lines = append(lines, fmt.Sprintf("           and %d more drives (warp status)", len(s.drives)-mostRuns))
			break
		}
		lines = append(lines, "Now:       "+d.line(s.now))
	}
	if len(s.questions) > 0 {
		q := s.questions[0]
		line := fmt.Sprintf("Asks you:  %s %s", q.ID, text.ClipRunes(text.FirstLine(q.Question), 60))
		if more := len(s.questions) - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more: warp inbox)", more)
		}
		lines = append(lines, line)
	}
	if n, m := len(s.approved), len(s.others); n+m > 0 {
		lines = append(lines, fmt.Sprintf("Issues:    %d approved, %d open without approval", n, m))
	}
	if s.last != nil && len(s.drives) == 0 {
		lines = append(lines, "Last:      "+ending(s.last, s.now))
	}
	command, why := s.next()
	return append(lines, "Next:      "+command+"  ("+why+")", "", "warp help lists all commands.")
}

func (d homeDrive) line(now time.Time) string {
	st := d.state
	line := name(st) + ": " + strings.ReplaceAll(string(st.Phase), "_", " ")
	if st.Chunk.Total > 0 {
		line += fmt.Sprintf(", chunk %d of %d", st.Chunk.Index, st.Chunk.Total)
	}
	switch {
	case st.Frozen != nil:
		line += ", frozen"
	case st.Paused != nil:
		line += ", paused"
	case d.stopped:
		line += ", not running"
	default:
		if t, err := time.Parse(time.RFC3339, st.Session.StartedAt); err == nil {
			line += ", for " + now.Sub(t).Round(time.Minute).String()
		}
	}
	if d.folder != "" {
		line += " in " + d.folder
	}
	return line
}

// name returns a drive's issue, with its title if known.
func name(st *drivestate.State) string {
	n := st.Issue()
	if n == "" {
		return "a drive"
	}
	if title := st.Titles[n]; title != "" {
		return "#" + n + " " + text.ClipRunes(title, 40)
	}
	return "#" + n
}

// ending describes how and when the last drive ended.
func ending(st *drivestate.State, now time.Time) string {
	line := name(st) + " " + strings.ReplaceAll(string(st.Phase), "_", " ")
	if n := len(st.History); n > 0 {
		if t, err := time.Parse(time.RFC3339, st.History[n-1].At); err == nil {
			line += " " + t.In(now.Location()).Format("2006-01-02 15:04")
		}
	}
	return line + " (details: warp report)"
}

// next returns the most helpful command, and why.
func (s homeScene) next() (command, why string) {
	for _, step := range []struct {
		when         bool
		command, why string
	}{
		{len(s.questions) > 0, "warp inbox", "a question waits; warp answer ID TEXT answers it"},
		{slices.ContainsFunc(s.drives, func(d homeDrive) bool { return d.state.Frozen != nil }), "warp status", "a drive is frozen; this says why"},
		{slices.ContainsFunc(s.drives, func(d homeDrive) bool { return d.state.Paused != nil }), "warp continue", "a drive is paused"},
		{slices.ContainsFunc(s.drives, func(d homeDrive) bool { return !d.stopped }), "warp status --watch", "warp stop ends the drive"},
		{len(s.drives) > 0, s.resume(), "continues the unfinished drive"},
		{len(s.approved) > 0, "warp drive", "drives the approved issues; --dry-run shows the plan"},
		{len(s.others) > 0, s.approve(), "approves the first open issue"},
		{s.isNew, "warp quickstart", "sets this project up, and helps to write a first issue"},
	} {
		if step.when {
			return step.command, step.why
		}
	}
	return `warp issue new -t "…"`, "writes an issue; on a forge, warp drive --dry-run shows what is approved"
}

// resume returns the command that continues the first drive, within its limits.
func (s homeScene) resume() string {
	if len(s.drives) == 0 {
		return ""
	}
	st := s.drives[0].state
	return evidence.RepeatCaps("warp resume", st.Issue(), st.Session.Caps)
}

func (s homeScene) approve() string {
	if len(s.others) == 0 {
		return ""
	}
	return fmt.Sprintf("warp issue approve %d", s.others[0].Number)
}
