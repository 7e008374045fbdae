package hook

import (
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/sys/proc"
	"warp/internal/sys/spoken"
)

// recordPrompt keeps the commands of warp that a person has typed: the agent may run each
// of them once.
func recordPrompt(c *call) error {
	b, ok := c.openOrders()
	if !ok {
		return nil
	}
	return b.Hear(c.Session, c.Prompt, c.env.System.Now())
}

// slashes are the slash commands whose words are a command of warp's.
var slashes = lazy.Table[string, string]{{"automation", "warp "}, {"rdb", "warp rdb "}, {"stop-warp-drive", "warp stop "}}

// slashWords are words of theirs that stand for others.
var slashWords = lazy.Table[string, string]{{"reset", "--hard"}}

// recordSlashCommand keeps what a person has typed behind a slash command.
func recordSlashCommand(c *call) error {
	name := c.Command[strings.LastIndexByte(c.Command, ':')+1:]
	begin, known := slashes.Find(name)
	if !known || c.Expansion != "" && c.Expansion != "slash_command" {
		return nil
	}
	b, ok := c.openOrders()
	if !ok {
		return nil
	}
	words := c.CommandArgs
	if other, known := slashWords.Find(strings.TrimSpace(words)); known && name == "stop-warp-drive" {
		words = other
	}
	return b.Add(c.Session, begin+words, c.env.System.Now())
}

// recordChoice keeps a command that a person has chosen of those that the agent has
// offered. The words of the choice count, which the person has read, not the question's.
func recordChoice(c *call) error {
	if c.Tool != questionTool {
		return nil
	}
	b, ok := c.openOrders()
	if !ok {
		return nil
	}
	v, err := lossless.Parse(c.Response)
	if err != nil {
		return nil
	}
	answers := v.Get("answers")
	if answers == nil || answers.Kind != lossless.Object {
		return nil
	}
	for _, m := range answers.Members {
		if m.Value.Kind == lossless.String {
			if err := b.Add(c.Session, m.Value.Text(), c.env.System.Now()); err != nil {
				return err
			}
		}
	}
	return nil
}

// openOrders is the book of what persons have typed, where one can type: not in a session
// that an engine runs, not what came out of a sandbox, and not what a program below the
// model's own shell says. Claude Code tells its hooks the project's folder, and no shell.
func (c *call) openOrders() (spoken.Book, bool) {
	s, err := c.sight.glance()
	if c.who.relayed || c.who.headless || c.Session == "" || err != nil || s == nil || !s.Phase.Active() || s.Session.Headless && !c.who.guides(s) {
		return spoken.Book{}, false
	}
	for _, p := range proc.Lineage(c.env.Parent) {
		shell := proc.HasVariable(p.PID, "CLAUDECODE=") && !proc.HasVariable(p.PID, "CLAUDE_PROJECT_DIR=")
		if shell || proc.HasVariable(p.PID, "WARP_ROLE=", "WARP_RUN_") {
			return spoken.Book{}, false
		}
	}
	return spoken.Here(c.env.Getenv, filepath.Dir(c.drive.Project.Home().Dir()))
}

// wasTyped tells whether a person has typed a command of warp's in this session.
func (c *call) wasTyped(args []string) bool {
	b, ok := c.openOrders()
	return ok && b.Has(c.Session, args, c.env.System.Now())
}
