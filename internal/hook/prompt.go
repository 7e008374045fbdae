package hook

import (
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/config"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/durable"
)

// leavingPhrases lists phrases of a person who leaves: a prompt must contain one of each list.
var leavingPhrases = [][]string{
	{"keep going", "carry on", "continue without me", "keep working", "keep at it", "keep on", "go on without me", "work without me", "continue while", "finish it while", "don't wait for me", "do not wait for me"},
	{"while i", "i'm going", "i am going", "i'm off", "i am off", "i'm out", "i am out", "i'll be away", "i will be away", "i'm leaving", "i am leaving", "i have to go", "i need to go", "gotta go", "got to go", "gtg", "stepping away", "step away", "stepping out", "step out", "grab a", "grab some", "grab lunch", "grab dinner", "grab coffee", "grabbing",
		"be back", "be right back", "brb", "bbl", "bbs", "back in a", "back in an", "back soon", "back later", "afk", "lunch", "dinner", "heading out", "heading home", "going out", "away from keyboard", "without me", "to bed", "to sleep", "good night", "goodnight", "see you", "talk later", "ttyl"},
}

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
	return has(leavingPhrases[0]) && has(leavingPhrases[1]) || strings.Contains(words, " going afk ")
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
