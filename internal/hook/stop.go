package hook

import (
	"fmt"

	"warp/internal/core/command"
	"warp/internal/core/drivestate"
)

// holdForReport keeps the owner from stopping between a commit and its report, once. In other
// phases it only tells the person that the drive is under way.
func holdForReport(c *call) error {
	v, err := c.sight.viewOwned()
	if err != nil || v == nil {
		return err
	}
	s := v.State
	if c.who.guides(s) {
		c.holdForNext(s)
		return nil
	}
	if s.IsLed() {
		if c.answer.Message == "" && !c.StopActive && !c.who.headless {
			c.answer.Message = prefix + fmt.Sprintf("the drive of #%s is unfinished (phase %s): warp next continues it", s.Issue(), s.Phase)
		}
		return nil
	}
	pending := s.Checklist.Committed && !s.Checklist.ReportFiled && (s.Phase == drivestate.Reporting || s.Phase == drivestate.DocDriftCheck)
	switch {
	case pending && !c.StopActive && !c.Background && s.Paused == nil && s.Frozen == nil:
		c.answer.Block = prefix + fmt.Sprintf("the report is missing: chunk %d of %d was committed, but its report was not filed. File the chunk report, then: warp state transition . report_filed", s.Chunk.Index, s.Chunk.Total)
	case c.answer.Message == "" && !c.StopActive:
		c.answer.Message = prefix + fmt.Sprintf("the drive of #%s is in phase %s. Consider running session end protocol before stopping; it resumes from here.", s.Issue(), s.Phase)
	}
	return nil
}

// refuseGuided returns why the session leaves an act to the engine of a guided drive; "" if it
// need not.
func refuseGuided(s *drivestate.State, act command.Act) string {
	if !s.IsGuided() {
		return ""
	}
	switch act.Kind {
	case command.Commit, command.Merge, command.Push:
		return fmt.Sprintf("`%s`: warp commits, pushes and merges by itself, after its tests and gates. Say that you are done: warp next", act.Words)
	}
	return ""
}

// holdForNext keeps an unattended session from ending in the middle of a drive, once.
func (c *call) holdForNext(s *drivestate.State) {
	why := fmt.Sprintf("the drive of #%s is not over (phase %s): run warp next, and do what it says", s.Issue(), s.Phase)
	alone := c.env.Getenv("CLAUDE_CODE_ENTRYPOINT") != "cli"
	switch {
	case c.StopActive || c.Background || s.Paused != nil || s.Frozen != nil:
	case alone:
		c.answer.Block = prefix + why
	case c.answer.Message == "":
		c.answer.Message = prefix + why
	}
}
