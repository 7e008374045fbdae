package hook

import (
	"fmt"
	"strings"

	"warp/internal/turnstile"
)

// viewInTime returns the drive that the session owns, after checking its time budgets. If one has
// run out, it parks the drive for a person and tells the session; before a tool runs, by refusing
// the call once.
func (c *call) viewInTime() (*turnstile.View, error) {
	v, err := c.sight.viewOwned()
	if err != nil || v == nil || c.who.headless || c.who.relayed || !v.State.MayBeOutOfTime(c.env.System.Now()) {
		return v, err
	}
	// Look at the branches first: the next phase would forbid moves that this one allows.
	if sight, err := c.drive.Watch.InspectBranches(*v); err != nil || sight.Frozen != nil {
		return v, err
	}
	from := v.State.Phase
	reasons, to, err := c.drive.ParkIfOutOfTime()
	if err != nil || len(reasons) == 0 {
		return v, nil // broken settings: the next event reports them
	}
	why := fmt.Sprintf("time is up (%s): %s -> %s. Say what was done and what is left, and stop. A person decides: warp continue resets the budget, warp stop ends it.", strings.Join(reasons, ", "), from, to)
	if c.Event == "PreToolUse" {
		c.answer.deny(why)
	} else {
		c.answer.tell(why)
	}
	c.answer.Message = prefix + why
	c.sight.forget()
	return c.sight.viewOwned()
}

// parkIfOutOfTime checks the owner's time budgets after a tool has run.
func parkIfOutOfTime(c *call) error {
	_, err := c.viewInTime()
	return err
}
