package hook

import (
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/turnstile"
)

// injectContext tells a new session where its drive stands. The session adopts a drive without an
// owner, and leaves one alone that another living session owns.
func injectContext(c *call) error {
	v, err := c.sight.view()
	if err != nil || v == nil || !v.State.Phase.Active() {
		return err
	}
	if c.who.isRunByEngine(v.State) { // the engine stays its owner
		c.answer.Context = append(c.answer.Context, drivestate.BriefChild(v.State))
		return nil
	}
	if c.who.guides(v.State) {
		c.tellContext(v.State, false)
		return nil
	}
	if c.who.relayed {
		return nil // a sandboxed run owns nothing, in this project or another
	}
	was := turnstile.OwnerOf(v.State)
	stale := c.drive.Ownership.IsGone(was)
	if mind := v.State.Session.MindPID; v.State.IsLed() && mind > 0 && mind != c.who.pid() && !c.drive.IsGone(mind, "") {
		return nil // the session that works on it lives
	}
	if stale && drivestate.EngineAt(v.State) && !c.who.headless { // its engine was killed: whoever takes the drive over claims it
		c.tellContext(v.State, true)
		return nil
	}
	owns, err := c.drive.Adopt(c.Session, c.who.pid(), c.who.renewed)
	if err != nil || !owns {
		return err
	}
	if c.who.headless {
		c.answer.Context = append(c.answer.Context, drivestate.BriefChild(v.State))
		return nil
	}
	c.tellContext(v.State, stale)
	return nil
}

// remindOwner tells the owner again where its drive stands when a person types something while the
// drive waits for one: the start of the session may be long ago.
func remindOwner(c *call) error {
	v, err := c.sight.viewOwned()
	if err != nil || v == nil || c.who.headless || c.who.relayed {
		return err
	}
	s := v.State
	if s.Waiting == nil {
		s.Waiting = openQuestion(c.drive)
	}
	if s.Paused != nil || s.Frozen != nil || s.Waiting != nil || !s.Phase.Trips() {
		c.tellContext(s, false)
	}
	return nil
}

func (c *call) tellContext(s *drivestate.State, stale bool) {
	if s.Waiting == nil {
		s.Waiting = openQuestion(c.drive)
	}
	cfg, err := c.drive.Project.Settings()
	told := drivestate.BriefSession(s, cfg.Limits, stale, c.env.System.Now())
	if err != nil {
		told = text.Clip("Fix the settings before anything else: "+err.Error(), 400) + "\n" + told
	}
	c.answer.Context = append(c.answer.Context, text.Clip(told+describeCleanUp(s), drivestate.MaxContext))
}

// openQuestion returns the drive's unanswered question to a person; nil if none.
func openQuestion(drive *turnstile.Drive) *drivestate.Waiting {
	v, err := openInbox(drive).Read()
	if err != nil {
		return nil // there is no inbox, or others report the error
	}
	for _, i := range v.Doc.Pending() {
		if i.Root == drive.Root() {
			return &drivestate.Waiting{Until: i.Deadline, Why: "an answer to " + i.ID + ": " + i.Question}
		}
	}
	return nil
}

// describeCleanUp lists what is left to do after an abort.
func describeCleanUp(s *drivestate.State) string {
	if s.Phase != drivestate.Aborted || s.IsLed() {
		return ""
	}
	return "Clean up before anything else:\n" +
		"1. Uncommitted work of this drive: git add its files and git commit -m \"wip: #" + s.Issue() + " aborted\" (allowed in this phase).\n" +
		"2. Say what was done, what is open, and why it was stopped.\n" +
		"3. warp state transition . abort_resolved, or abort_cleanup_failed --data '{\"failure\":\"why\"}' when 1 could not be done.\n"
}

// adoptNewDrive makes this session the owner of the drive that its command has just begun.
func (c *call) adoptNewDrive() error {
	s, err := c.sight.glance()
	if err != nil || s == nil || s.Session.ClaudeSession != "" || c.who.relayed {
		return err
	}
	for _, act := range c.readActs() {
		words := listWords(act.Args)
		if len(words) > 1 && words[0] == "state" && words[1] == "init" {
			_, err := c.drive.Adopt(c.Session, c.who.pid(), false)
			c.sight.forget()
			return err
		}
	}
	return nil
}
