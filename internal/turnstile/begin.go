package turnstile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// Start holds the options of a new session.
type Start struct {
	Level         int // 0 means as configured
	Issue         string
	PID           int
	ClaudeSession string
	Headless      bool   // started by an engine
	MindPID       int    // the process of the engine's session
	Sandbox       string // how well its agents are contained
	Caps          budget.Caps
	GitHubUser    string // the GitHub user that the token belongs to; "" asks gh
}

// ErrLevel refuses a session without a level to work at.
//
//lint:ignore ST1005 the user's guide quotes it in these words
var ErrLevel = errors.New("Automation level must be 2 or 3 (2 opens pull requests, 3 merges): pass --level, or set it with warp config set level 2")

// NoLevel refuses a session without a level to work at, and says so if there are no settings at all.
func (p *Project) NoLevel() error {
	if _, err := os.Lstat(p.SettingsPath()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("this project is not set up for warp, or its settings were deleted (there is no %s): run warp quickstart; %w", config.File, ErrLevel)
	}
	return ErrLevel
}

// Init starts a session in prerequisites. It refuses if one is unfinished.
func (d *Drive) Init(ctx context.Context, st Start) (View, error) {
	if info, err := os.Stat(d.Root()); err != nil || !info.IsDir() {
		return View{}, fmt.Errorf("starting a session: %q is not a folder", d.Root())
	}
	cfg, err := d.Project.Settings()
	if err != nil {
		return View{}, err
	}
	b := drivestate.Begin{Issue: st.Issue, Session: drivestate.Session{Level: st.Level, PID: st.PID, ClaudeSession: st.ClaudeSession, Headless: st.Headless, MindPID: st.MindPID, Sandbox: st.Sandbox, Caps: st.Caps}, Targets: cfg.Targets(), Limits: cfg.Limits}
	b.Level = cmp.Or(b.Level, cfg.Level)
	if b.Level != 2 && b.Level != 3 {
		return View{}, d.Project.NoLevel()
	}
	notes := cfg.Warnings
	notes = append(notes, detectBranches(&d.Project, &b)...)
	b.GitHubUser = st.GitHubUser
	if b.GitHubUser == "" {
		b.GitHubUser = findGitHubUser(ctx, d.Root())
	}
	b.PIDStamp, _ = d.Project.env.Started(b.PID)
	var v View
	if err := d.Store().Try(); err != nil { // creates the store's folders
		return View{Notes: notes}, err
	}
	more, err := d.doc.file.Update(func(tx *durable.Tx[drivestate.State]) error {
		old := tx.Doc
		if old != nil && old.Phase.Active() {
			return &ActiveError{old.Issue(), old.Phase, old.Session.PID, d.doc.isStale(old), old.Session.Caps}
		}
		b.Now = d.Project.env.Now()
		tx.Doc = drivestate.New(b)
		if old == nil {
			old = &drivestate.State{Phase: drivestate.Idle}
		}
		old.Fold(tx.Since, cfg.Limits) // checked-off criteria belong to the issue, not to the session
		tx.Doc.Checked, tx.Doc.Criteria, tx.Doc.Titles = old.Checked, old.Criteria, old.Titles
		tx.Doc.Accept(d.Watch.readBranches(tx.Doc).tips)
		tx.Log("init", map[string]string{"to": string(tx.Doc.Phase), "requirement": st.Issue})
		v = View{State: tx.Doc, Stale: d.doc.isStale(tx.Doc)}
		return nil
	})
	v.Notes = append(notes, more...)
	if err == nil {
		registerDrive(d.Root(), st.ClaudeSession)
	}
	if err == nil && st.ClaudeSession != "" {
		err = d.Ownership.save(Owner{st.ClaudeSession, b.PID, b.PIDStamp})
	}
	return v, err
}

// detectBranches reads the branches from git. Without a repository it uses the common names and
// adds a note.
func detectBranches(p *Project, b *drivestate.Begin) (notes []string) {
	b.MainBranch, b.MergeTarget, b.MergeStrategy = "main", "main", "ff-only"
	repo, err := p.openRepo()
	if err != nil {
		return []string{fmt.Sprintf("branches were not detected: %v", err)}
	}
	main, err := repo.MainBranch()
	if err != nil {
		return []string{fmt.Sprintf("branches were not detected: %v", err)}
	}
	b.MainBranch, b.MergeTarget = main, main
	if how, err := repo.MergeStrategy(); err == nil {
		b.MergeStrategy = how
	}
	on, err := repo.Branch()
	switch {
	case err != nil:
		notes = append(notes, fmt.Sprintf("the branch was not detected: %v", err))
	case on != "" && on != main:
		b.Branch, b.SessionBranch = on, on
	case on == main && b.Level == 2 && !b.Headless && b.MindPID == 0: // an engine makes its own branch
		notes = append(notes, "Must not be on main/master at level 2: create a feature branch before work begins (git switch -c feature/issue-NN-title)")
	}
	return notes
}

// findGitHubUser asks gh who is logged in. It returns "" without gh or a login.
func findGitHubUser(ctx context.Context, root string) string {
	r, err := proc.Run(ctx, proc.Cmd{Argv: []string{"gh", "api", "user", "-q", ".login"}, Dir: root, Timeout: 5 * time.Second})
	if err != nil || r.Exit != 0 {
		return ""
	}
	return strings.TrimSpace(string(r.Stdout))
}
