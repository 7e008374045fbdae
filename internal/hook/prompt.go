package hook

import (
	"slices"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// away are the words of somebody who leaves: one of each line must be there.
var away = [][]string{
	{"keep going", "carry on", "continue without me", "keep working", "go on without me"},
	{"while i", "i'm going", "i am going", "i'm off", "i am off", "stepping away", "step away", "grab", "be back", "afk", "lunch", "heading out", "going out", "to bed"},
}

// leaving tells whether a prompt says that its author goes away.
func leaving(prompt string) bool {
	text := strings.ToLower(strings.ReplaceAll(prompt, "’", "'"))
	if len(text) > 2000 { // a task, not a good-bye
		return false
	}
	has := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if has(staying) {
		return false
	}
	return has(away[0]) && has(away[1]) || strings.Contains(text, "going afk")
}

// staying are the words of somebody who wants the opposite.
var staying = []string{"don't", "do not", "never", "stop", "wait", "?"}

// remote is the section of the settings that says how decisions travel.
const remote = "_rdb"

// goingAway switches remote mode on when somebody leaves a running drive and
// the bridge is set up.
func goingAway(c *call) error {
	if !leaving(c.Prompt) {
		return nil
	}
	v, err := c.owned()
	if err != nil || v == nil {
		return err
	}
	cfg, err := c.drive.Project.Settings()
	if err != nil || cfg.Remote {
		return err
	}
	on := false
	err = c.drive.Project.EditSettings(func(text []byte) ([]byte, error) {
		tree, err := lossless.Parse(text)
		if err != nil || tree.Get(remote) == nil { // no bridge: nothing to switch on
			return text, nil
		}
		on = true
		return lossless.Set(text, lossless.Encode(true, nil), remote, "enabled")
	})
	if err != nil || !on {
		return err
	}
	c.answer.tell("remote mode is on (" + config.File + ", " + remote + ".enabled): decisions go to the bridge, not to the terminal. Keep going.")
	return nil
}

// countCommand journals a slash command.
func countCommand(c *call) error {
	if c.Command == "" || c.Expansion != "" && c.Expansion != "slash_command" {
		return nil
	}
	return c.record(event.SlashCommand, struct {
		Session string `json:"session"`
		Name    string `json:"name"`
	}{c.Session, c.Command})
}

func permissionAsked(c *call) error  { return c.permission(event.PermissionAsk) }
func permissionDenied(c *call) error { return c.permission(event.PermissionDeny) }

func (c *call) permission(kind string) error {
	return c.record(kind, struct {
		Session string `json:"session"`
		Tool    string `json:"tool"`
	}{c.Session, c.Tool})
}

// record appends to the journal of a project that has one.
func (c *call) record(kind string, data any) error {
	if !c.drive.Store().Exists() {
		return nil
	}
	return c.drive.Store().Append(kind, data)
}
