package hook

import (
	"fmt"
	"strings"

	"warp/internal/turnstile"
)

// viewInTime is the drive that the session owns, after a check of its time budgets. When
// one has passed, the drive waits for a person and the session is told; before a tool
// runs, by refusing it once.
func (c *call) viewInTime() (*turnstile.View, error) {
	v, err := c.sight.viewOwned()
	if err != nil || v == nil || c.who.headless || c.who.relayed || !v.State.MayBeOutOfTime(c.env.System.Now()) {
		return v, err
	}
	// Moves that this phase allows are seen first: in the next one they would be forbidden.
	if sight, err := c.drive.Watch.InspectBranches(*v); err != nil || sight.Frozen != nil {
		return v, err
	}
	from := v.State.Phase
	reasons, to, err := c.drive.ParkIfOutOfTime()
	if err != nil || len(reasons) == 0 {
		return v, nil // the settings are broken, which the next event tells
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

// parkIfOutOfTime holds the owner to its time budgets after a tool has run.
func parkIfOutOfTime(c *call) error {
	_, err := c.viewInTime()
	return err
}
