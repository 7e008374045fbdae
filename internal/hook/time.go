package hook

import (
	"fmt"
	"strings"

	"warp/internal/turnstile"
)

// held is the drive that the session owns, once its time budgets were looked at. When one
// has passed the drive waits for a person, and the session is told: before a tool runs by
// refusing it, once.
func (c *call) held() (*turnstile.View, error) {
	v, err := c.owned()
	if err != nil || v == nil || c.headless() || c.around.Relayed || !v.State.MayBeOutOfTime(c.around.System.Now()) {
		return v, err
	}
	// What the phase allowed is seen first: it would look unexplained in the next.
	if sight, err := c.drive.Watch.InspectBranches(*v); err != nil || sight.Frozen != nil {
		return v, err
	}
	from := v.State.Phase
	reasons, to, err := c.drive.EndTime()
	if err != nil || len(reasons) == 0 {
		return v, nil // the settings are broken, which the next event tells
	}
	why := fmt.Sprintf("time is up (%s): %s -> %s. Say what was done and what is left, and stop. A person decides: warp continue gives a fresh allowance, warp stop ends it.", strings.Join(reasons, ", "), from, to)
	if c.Event == "PreToolUse" {
		c.answer.deny(why)
	} else {
		c.answer.tell(why)
	}
	c.answer.Message = prefix + why
	c.lookAgain()
	return c.owned()
}

// lookAtTime holds the owner to its time budgets after a tool has run.
func lookAtTime(c *call) error {
	_, err := c.held()
	return err
}
