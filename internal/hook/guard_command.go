package hook

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// guardPayload refuses a call that it cannot parse if that call could affect this session's drive.
func guardPayload(c *call) error {
	why := c.garbled
	switch {
	case why != nil || !turnstile.HasState(c.drive.Root()):
	case c.Tool == "Bash" && !bytes.HasPrefix(c.rawInput("command"), []byte{'"'}):
		why = errors.New("it names no command")
	case fileTools.Get(c.Tool) != "" && c.listFiles() == nil:
		why = errors.New("it names no file")
	}
	if why == nil || !turnstile.HasState(c.drive.Root()) {
		return nil
	}
	v, err := c.sight.view()
	switch o := c.drive.Ownership.ReadOwner(); {
	case err != nil && c.Session != "" && o.Session != "" && o.Session != c.Session:
		return nil
	case err != nil || v == nil || !v.State.Phase.Active():
		return err
	case c.Session != "" && v.State.Session.ClaudeSession != c.Session:
		return nil
	}
	return fmt.Errorf("the agent's request cannot be read: %w", why)
}

// guardCommand refuses shell commands that the phase does not allow.
func guardCommand(c *call) error {
	if c.Tool != "Bash" {
		return nil
	}
	if !turnstile.HasState(c.drive.Root()) {
		return c.guardLost(c.readActs)
	}
	acts := c.readActs()
	if len(acts) == 0 {
		return nil
	}
	v, err := c.viewInTime()
	if err != nil {
		return err
	}
	if v == nil {
		return c.guardLost(func() []command.Act { return acts })
	}
	guard := commandGuard{c, v.State, ownFiles{c.drive.Root(), locateRepository(c.drive), c.env.Getenv}}
	for _, act := range acts {
		if why := guard.refuse(act); why != "" {
			c.answer.deny(why)
			c.recordDenial(act.Kind.String(), act.Words)
			return nil
		}
	}
	if one := acts[0]; len(acts) == 1 && one.Kind == command.Warp && slices.Equal(strings.Fields(c.input("command")), append([]string{"warp"}, one.Args...)) && c.wasTyped(one.Args) {
		c.answer.Allow = "the person typed or chose it"
	}
	return nil
}

// guardLost stops a session whose drive was taken from it: it refuses every act that a guard
// would have checked.
func (c *call) guardLost(acts func() []command.Act) error {
	why := c.sight.checkLoss()
	if why == nil {
		return nil
	}
	for _, act := range acts() {
		if act.Kind != command.Warp && !isElsewhere(act, locateRepository(c.drive)) {
			return why
		}
	}
	return nil
}

// readActs returns what the command would do.
func (c *call) readActs() []command.Act {
	dir := c.files.dir
	return command.Read(c.input("command"), command.Env{
		Dir:    dir,
		Alias:  func(program, name string) (string, bool) { return findAlias(c.env.Getenv, dir, program, name) },
		Script: readScript,
		Folder: isFolder,
		Branch: hasBranch,
	})
}

// recordDenial journals a refusal. It ignores errors: the call is refused either way.
func (c *call) recordDenial(rule, what string) {
	_ = c.drive.Store().Append(event.Denied, lossless.Record("session", c.Session, "tool", c.Tool, "rule", rule, "what", what))
}

// locateRepository returns the drive's repository.
func locateRepository(drive *turnstile.Drive) git.Place {
	place, _ := git.Locate(drive.Root())
	return place
}

// isElsewhere reports whether an act happens in another repository, or in none.
func isElsewhere(act command.Act, home git.Place) bool {
	if act.Dir == "" || home.Common() == "" || act.Global {
		return false
	}
	place, ok := git.Locate(act.Dir)
	return !ok || place.Common() != home.Common()
}

// commandGuard checks the acts of one command against a drive.
type commandGuard struct {
	call  *call
	state *drivestate.State
	own   ownFiles
}

// refuse returns why an act is not allowed now; "" if it is.
func (g commandGuard) refuse(act command.Act) string {
	if act.Kind == command.Touch || act.Kind == command.Warp || !isElsewhere(act, g.own.home) {
		return g.refuseHere(act)
	}
	if act.Kind == command.Push && !act.DryRun && reachesRemote(act, g.own.home) {
		return "`" + act.Words + "` pushes from another repository to where this drive's work goes, which is never allowed while a drive is active: push from the project itself"
	}
	return ""
}

// refuseHere returns why an act in the drive's repository is not allowed now; "" if it is.
func (g commandGuard) refuseHere(act command.Act) string {
	s := g.state
	if why := refuseGuided(s, act); why != "" && !g.call.who.headless {
		return why
	}
	switch act.Kind {
	case command.Commit:
		return checkPermission(s, "git_commit", "")
	case command.Merge:
		if act.FastForward && s.Phase.BeforeWork() {
			return "" // a fast-forward to the remote: git's hook checks it
		}
		return checkPermission(s, "git_merge", "")
	case command.Push:
		return refusePush(s, act)
	case command.Touch:
		return g.own.refuseTouch(act)
	case command.Warp:
		return g.refuseWarp(act)
	}
	what := "`" + act.Words + "`"
	if act.Why != "" {
		what += " (" + act.Why + ")"
	}
	if why, isNever := never.Find(act.Kind); isNever {
		return fmt.Sprintf(why, what)
	}
	return ""
}

// never lists the acts that no phase allows.
var never = lazy.Table[command.Kind, string]{
	{command.Ref, "moving or deleting branches by hand (%s) is not allowed while a drive is active: commits are made with git commit in the committing phase, and a person can use warp override"},
	{command.Discard, "%s would discard work, which is never allowed while a drive is active: undo your own edits file by file"},
	{command.Tamper, "%s bypasses git's hooks or settings, which is never allowed while a drive is active"},
	{command.Unknown, "warp cannot tell what %s would do to the repository: write git commands literally, and put the input of other programs into a file first"},
}

func checkPermission(s *drivestate.State, operation, branch string) string {
	p, err := s.Guards().Permit(operation, branch)
	switch {
	case err != nil:
		return err.Error()
	case p.Allowed:
		return ""
	}
	return p.Reason + "; " + drivestate.Expected(s.Phase)
}

func refusePush(s *drivestate.State, act command.Act) string {
	switch {
	case act.DryRun:
		return ""
	case act.Force:
		return "a force push is never allowed while a drive is active: `" + act.Words + "`"
	case act.Delete, act.All:
		return "only the drive's branch may be pushed, and nothing deleted: `" + act.Words + "`"
	case slices.Contains(act.Refs, "\x00"):
		return "warp cannot tell which branch `" + act.Words + "` pushes: name it"
	case len(act.Refs) == 0:
		return checkPermission(s, "git_push", "")
	}
	for _, ref := range act.Refs {
		if ref == "HEAD" {
			ref = ""
		}
		if why := checkPermission(s, "git_push", strings.TrimPrefix(ref, "refs/heads/")); why != "" {
			return why
		}
	}
	return ""
}
