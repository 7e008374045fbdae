package hook

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/config"
	"warp/internal/core/event"
	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/sys/typed"
)

// leavingPhrases lists phrases of a person who leaves and wants the work to go on: a prompt must
// contain one of each list.
var leavingPhrases = [][]string{
	{"keep going", "carry on", "continue without me", "keep working", "keep at it", "keep on", "go on without me", "work without me", "continue while", "continue working", "finish it", "finish this", "don't wait for me", "do not wait for me"},
	{"while i", "i'm going", "i am going", "i'm off", "i am off", "i'm out", "i am out", "i'll be away", "i will be away", "i'm leaving", "i am leaving", "i have to go", "i need to go", "have to leave", "need to leave", "gotta go", "got to go", "gtg", "stepping away", "to step away", "stepping out", "step out", "grab a", "grab some", "grab lunch", "grab dinner", "grab coffee", "grabbing",
		"be back", "be right back", "brb", "bbl", "bbs", "back in a", "back in an", "back soon", "back later", "afk", "lunch", "dinner", "heading out", "heading home", "going out", "away from keyboard", "without me", "to bed", "to sleep", "good night", "goodnight", "see you", "talk later", "ttyl"},
}

// awayPhrases lists phrases that announce it alone: who says so wants the work to go on.
var awayPhrases = []string{"going afk", "i'm afk", "i am afk", "afk for a", "afk for an", "afk until", "away from keyboard", "away from my keyboard", "away from the keyboard", "away from my desk", "i'm stepping away", "i am stepping away", "i'm going to step away", "i need to step away", "i have to step away"}

// isLeaving reports whether a prompt announces that its author is leaving.
func isLeaving(prompt string) bool {
	text := strings.ToLower(strings.ReplaceAll(prompt, "’", "'"))
	if len(text) > 2000 { // a task, not a goodbye
		return false
	}
	words := " " + strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(words, " "+w+" ") })
	}
	stays := strings.NewReplacer(" don't wait for me ", " ", " do not wait for me ", " ").Replace(words)
	if strings.Contains(text, "?") || slices.ContainsFunc(stayingPhrases, func(w string) bool { return strings.Contains(stays, " "+w+" ") }) {
		return false
	}
	return has(leavingPhrases[0]) && has(leavingPhrases[1]) || has(awayPhrases)
}

// stayingPhrases lists phrases of a person who wants the opposite.
var stayingPhrases = []string{"don't", "do not", "never", "stop", "wait", "pause", "hold on", "until i"}

// remote is the settings section for remote decisions.
const remote = "_rdb"

// channels lists the members of that section that name a way to reach a person; without one,
// questions would go nowhere.
var channels = []string{"chat", "webhook", "ntfy"}

// canReachPerson reports whether a way to reach a person is set up.
func canReachPerson(getenv func(string) string, section *lossless.Value) bool {
	if section == nil || section.Kind != lossless.Object {
		return false
	}
	return getenv("TELEGRAM_CHAT_ID") != "" || slices.ContainsFunc(channels, func(name string) bool {
		v := section.Get(name)
		return v != nil && (v.Kind == lossless.Number && v.Raw != "0" || v.Kind == lossless.String && v.Text() != "")
	})
}

// switchToRemote turns on remote mode when a person leaves a running drive and the bridge is set
// up.
func switchToRemote(c *call) error {
	if !isLeaving(c.Prompt) {
		return nil
	}
	v, err := c.sight.viewOwned()
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
		if err != nil || !canReachPerson(c.env.Getenv, tree.Get(remote)) { // no bridge: nothing to switch on
			return nil, durable.ErrUnchanged
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

func countCommand(c *call) error {
	if c.Command == "" || c.Expansion != "" && c.Expansion != "slash_command" {
		return nil
	}
	return c.record(event.SlashCommand, lossless.Record("session", c.Session, "name", c.Command))
}

// recordPermission journals a permission request, or its denial by the person.
func recordPermission(c *call) error {
	kind := event.PermissionAsk
	if c.Event == "PermissionDenied" {
		kind = event.PermissionDeny
	}
	return c.record(kind, lossless.Record("session", c.Session, "tool", c.Tool))
}

// record appends to the journal if the project has one.
func (c *call) record(kind string, data any) error {
	if !c.drive.Store().Exists() {
		return nil
	}
	return c.drive.Store().Append(kind, data)
}

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
	v, _ := lossless.Parse(c.Response) // nil on an error
	answers := v.Get("answers")
	if answers.Type() != lossless.Object {
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
func (c *call) openOrders() (typed.Book, bool) {
	s, err := c.sight.glance()
	if c.who.relayed || c.who.headless || c.Session == "" || err != nil || s == nil || !s.Phase.Active() || s.Session.Headless && !c.who.guides(s) {
		return typed.Book{}, false
	}
	for _, p := range proc.Lineage(c.env.Parent) {
		shell := proc.HasVariable(p.PID, "CLAUDECODE=") && !proc.HasVariable(p.PID, "CLAUDE_PROJECT_DIR=")
		if shell || proc.HasVariable(p.PID, "WARP_ROLE=", "WARP_RUN_") {
			return typed.Book{}, false
		}
	}
	return typed.Here(c.env.Getenv, filepath.Dir(c.drive.Project.Home().Dir()))
}

// wasTyped reports whether a person typed this warp command in this session.
func (c *call) wasTyped(args []string) bool {
	b, ok := c.openOrders()
	return ok && b.Has(c.Session, args, c.env.System.Now())
}
