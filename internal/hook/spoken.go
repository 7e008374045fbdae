package hook

import (
	"path/filepath"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/sys/proc"
	"warp/internal/sys/spoken"
)

// recordPrompt stores the warp commands that a person has typed: the agent may run each once.
func recordPrompt(c *call) error {
	b, ok := c.openOrders()
	if !ok {
		return nil
	}
	return b.Hear(c.Session, c.Prompt, c.env.System.Now())
}

// slashes maps slash commands to the beginning of the warp command that they stand for.
var slashes = lazy.Table[string, string]{{"automation", "warp "}, {"rdb", "warp rdb "}, {"stop-warp-drive", "warp stop "}}

// slashWords maps arguments of slash commands to warp's flags.
var slashWords = lazy.Table[string, string]{{"reset", "--hard"}}

// recordSlashCommand stores the warp command behind a slash command that a person typed.
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

// recordChoice stores a command that a person chose from those the agent offered. Only the words
// of the choice count, because the person has read them.
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

// openOrders opens the book of commands that people typed. It reports false where no one can type:
// in a session that an engine runs, in a sandbox, and in a program below the model's own shell.
// Claude Code sets the project's folder for hooks, but not for shells.
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

// wasTyped reports whether a person typed this warp command in this session.
func (c *call) wasTyped(args []string) bool {
	b, ok := c.openOrders()
	return ok && b.Has(c.Session, args, c.env.System.Now())
}
