package hook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/command"
	"warp/internal/core/commit"
	"warp/internal/core/config"
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// watchBranches checks where the guarded branches are after the agent did something. A commit in
// its phase is recorded and moves the drive; a forbidden move freezes it. It reads git, not the
// command, which may have done something else.
func watchBranches(c *call) error {
	if !turnstile.HasState(c.drive.Root()) {
		c.reportLostDrive()
		return nil
	}
	if c.Tool == "Bash" && c.Event == "PostToolUse" {
		if err := c.adoptNewDrive(); err != nil {
			return err
		}
	}
	v, err := c.sight.viewOwned()
	if err != nil || v == nil {
		c.reportLostDrive()
		return err
	}
	s := v.State
	if s.IsGuided() && s.Phase != drivestate.Planning && s.Phase != drivestate.Coding {
		return nil // in these two its engine waits for the session and moves no branch: any move is the session's
	}
	sight, err := c.drive.Watch.InspectBranches(*v)
	if err != nil {
		return err
	}
	if sight.Frozen != nil {
		why := (&drivestate.FrozenError{Phase: s.Phase, Freeze: *sight.Frozen}).Error()
		c.warn(why + ". Do not try to fix it: say what happened, and stop") // repeat it: nothing moves until it is settled
		return nil
	}
	if s.Phase == drivestate.Committing && s.Paused == nil && c.Event != "Stop" && !s.IsLed() {
		return c.advanceCommit(s, sight.Tips)
	}
	return nil
}

// warn tells the agent and the person about something that only a person can settle.
func (c *call) warn(why string) {
	if c.Event != "Stop" {
		c.answer.Block = prefix + why
	}
	c.answer.Message = prefix + why
}

// reportLostDrive tells a session that something other than warp took its drive.
func (c *call) reportLostDrive() {
	if why := c.sight.checkLoss(); why != nil {
		c.warn(why.Error() + ". Stop here: a person restores it with warp doctor --rebuild, accepts it with warp override --reason \"…\", or ends it with warp stop --hard")
	}
}

// advanceCommit records the commits that the branch tips show, and fires the matching event.
func (c *call) advanceCommit(s *drivestate.State, tips map[string]string) error {
	made, err := c.drive.Watch.ListPhaseCommits(s, tips)
	if err != nil || len(made) == 0 {
		return err
	}
	for _, m := range made {
		if why := commit.Check(m.Message); why != "" {
			c.answer.tell(fmt.Sprintf("commit %s: %s. It is not recorded yet: fix it with git commit --amend -m 'feat(scope): description' (allowed until it is recorded).", text.Hash(m.Hash), why))
			return nil
		}
	}
	cfg, err := c.drive.Project.Settings()
	if err != nil {
		return err
	}
	on := drivestate.Committed
	if cfg.DocDriftGate {
		on = drivestate.CommitWithDocGate
	}
	// The hook runs no tests: it moves the drive only if this very tree has passed.
	why, do, err := c.drive.Watch.CheckCommit(s, s.Chunk.Tested)
	if err != nil {
		return err
	}
	if why != "" {
		c.answer.tell(fmt.Sprintf("commit %s is not recorded yet: %s. %s; then warp state transition . %s", text.Hash(made[len(made)-1].Hash), why, do, on))
		return nil
	}
	return c.fireEvent(cfg, on, fmt.Sprintf("commit %s is recorded", text.Hash(made[len(made)-1].Hash)))
}

// fireEvent fires an event that a hook has seen happen. It leaves gates that run commands to the
// agent's own transition: they can take longer than a hook may.
func (c *call) fireEvent(cfg config.Settings, on drivestate.Event, seen string) error {
	if c.who.relayed {
		return nil // a sandboxed run's word moves nothing
	}
	if len(cfg.Gates[on]) > 0 {
		c.answer.tell(fmt.Sprintf("%s; fire it: warp state transition . %s (its gates run first)", seen, on))
		return nil
	}
	if s, err := c.sight.glance(); err != nil || s != nil && drivestate.EngineAt(s) {
		return err // only its engine moves it
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := c.drive.Fire(ctx, on, "")
	c.sight.forget()
	if err != nil {
		c.answer.tell(fmt.Sprintf("%s, but the drive did not move: %v", seen, err))
		return nil
	}
	if r.Tripped() {
		c.answer.tell(fmt.Sprintf("%s, but a budget tripped: %s. A person decides: warp continue or warp stop.", seen, strings.Join(r.Reasons, ", ")))
		return nil
	}
	c.answer.tell(fmt.Sprintf("%s: %s -> %s. %s", seen, r.From, r.To, drivestate.Expected(r.To)))
	return nil
}

// adviseOnDrift looks at the commit that a command made: outside a drive, or in the drive of this
// session. It reads the command, because git's own hook may have recorded the move already.
// Sessions that do not own the drive are left alone.
func adviseOnDrift(c *call) error {
	if c.Tool != "Bash" || !strings.Contains(c.input("command"), "commit") {
		return nil
	}
	home := locateRepository(c.drive)
	if !slices.ContainsFunc(c.readActs(), func(a command.Act) bool { return a.Kind == command.Commit && !isElsewhere(a, home) }) {
		return nil
	}
	if s, err := c.sight.glance(); err != nil {
		return err
	} else if s != nil && s.Phase.Active() {
		if v, err := c.sight.viewOwned(); err != nil || v == nil {
			return err
		}
	}
	repo := git.Repo{Dir: c.drive.Root()}
	hash, err := repo.Ref("HEAD")
	if err != nil {
		return err
	}
	return adviseOnCommit(&c.answer, repo, hash)
}

func adviseOnCommit(answer *hookAnswer, repo git.Repo, hash string) error {
	files, err := repo.Files(hash)
	if err != nil {
		return err
	}
	if file := commit.UndocumentedTooling(files); file != "" {
		answer.tell(fmt.Sprintf("commit %s changes tooling (%s) and no *.md: is its documentation still right? warp docs audit shows where it is not.", text.Hash(hash), file))
	}
	return nil
}
