package hook

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// personalCommands lists the warp commands that only a person may run while a drive is active: an
// agent that can change the rules is bound by none.
var personalCommands = [][]string{
	{"override"}, {"init", "--remove"}, {"init", "--level"}, {"config", "set"}, {"level"}, {"state", "reset"}, {"continue"}, {"doctor", "--rebuild"}, {"hook"}, {"trust"},
	{"issue", "edit"}, {"issue", "approved"}, {"answer"}, {"rdb", "--chat"}, {"rdb", "--webhook"}, {"rdb", "--ntfy"},
}

// refuseWarp returns why the agent may not run a warp command now; "" if it may.
func (g commandGuard) refuseWarp(act command.Act) string {
	s, words := g.state, listWords(act.Args)
	if g.call.who.headless && isForEngine(words) {
		return fmt.Sprintf("`warp %s`: warp drive runs you and does this itself", strings.Join(words, " "))
	}
	for _, p := range personalCommands {
		named := len(words) > 0 && words[0] == p[0] && (len(p) == 1 || slices.ContainsFunc(act.Args, func(a string) bool { return a == p[1] || strings.HasPrefix(a, p[1]+"=") }))
		if named && !(p[0] == "level" && len(words) == 1) && (p[0] == "hook" || !g.call.wasTyped(act.Args)) {
			return fmt.Sprintf("`warp %s` is a person's decision while a drive is active: ask for it in your answer. If the person types the command, you may run it once", strings.Join(p, " "))
		}
	}
	if what := findSteering(act, words); what != "" {
		return fmt.Sprintf("`%s`: warp runs tests and agents as the session was started, but this changes %s: run the command without it", act.Words, what)
	}
	if len(words) > 2 && words[0] == "issue" && words[1] == "criteria" && len(s.Criteria[words[2]]) > 0 && s.Phase != drivestate.Planning {
		return fmt.Sprintf("the criteria of #%s are recorded and cannot change during the drive", words[2])
	}
	if len(words) < 2 || words[0] != "state" || words[1] != "transition" {
		return ""
	}
	if s.IsLed() {
		return fmt.Sprintf("`%s`: warp next leads this drive, with tests and a verifier that events would pass by. Run warp next, and do what it says", act.Words)
	}
	if slices.Contains(act.Args, dynamic) {
		return fmt.Sprintf("`%s`: write the event as a literal word", act.Words)
	}
	if len(words) < 4 {
		return ""
	}
	switch on := drivestate.Event(words[3]); on {
	case drivestate.CodeComplete, drivestate.TestsPassed, drivestate.RequirementDone:
		return g.askToConfirm(on, listConfirmed(act.Args))
	}
	return ""
}

// findSteering names the setting of tests and agents that a command line changes; "" if none. A
// model that chooses how they run can make them report anything.
func findSteering(act command.Act, words []string) string {
	if len(words) == 0 || !slices.Contains([]string{"next", "test", "state", "drive", "resume", "mcp"}, words[0]) {
		return ""
	}
	for _, a := range act.Args {
		if name, _, _ := strings.Cut(a, "="); name == "--sandbox" {
			return "the sandbox"
		}
	}
	return act.Set
}

// isForEngine reports whether only the engine that runs a session may run this command:
// everything that changes the drive or its tracker.
func isForEngine(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "state", "issue":
		return len(words) > 1 && !slices.Contains([]string{"status", "gate", "verify", "inject", "list", "show"}, words[1])
	case "drive", "resume", "stop", "pause", "continue", "clean":
		return true
	}
	return false
}

// dynamic marks an argument that is known only at run time.
const dynamic = "\x00"

// listWords returns the arguments without flags and their values.
func listWords(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--data" || args[i] == "--confirm" || args[i] == "--sandbox":
			i++
		case !strings.HasPrefix(args[i], "-"):
			out = append(out, args[i])
		}
	}
	return out
}

// listConfirmed returns the criteria that the command line confirms with a reason.
func listConfirmed(args []string) []string {
	var ids []string
	add := func(text string) {
		if id, how, _ := strings.Cut(text, ":"); strings.TrimSpace(how) != "" {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--confirm="); ok {
			add(v)
		} else if a == "--confirm" && i+1 < len(args) {
			add(args[i+1])
		}
	}
	return ids
}

// askToConfirm shows the agent the criteria again, as the issue words them: it must confirm each
// before it leaves the phase.
func (g commandGuard) askToConfirm(on drivestate.Event, have []string) string {
	c, s := g.call, g.state
	if _, err := s.Check(on); err != nil {
		return "" // the phase table refuses it anyway
	}
	cfg, err := c.drive.Project.Settings()
	if err != nil || !cfg.PreExit { // the transition itself reports broken settings
		return ""
	}
	want := s.Chunk.ToConfirm(on)
	if len(want) == 0 {
		want = []string{"all"}
	}
	if !slices.Contains(s.Asked, on) { // show them first, once
		if err := c.record(event.Asked, lossless.Record("session", c.Session, "event", on)); err != nil {
			return err.Error()
		}
		return formatQuestion(s, on, want)
	}
	missing := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return slices.Contains(have, id) })
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("not confirmed yet: %s. Add --confirm 'ID: how you know' for each.", strings.Join(missing, ", "))
}

// formatQuestion limits the length of the question, because a denial goes into the agent's
// context. It fences the criteria, because they come from the issue.
func formatQuestion(s *drivestate.State, on drivestate.Event, want []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "before %s, read the acceptance criteria of #%s once more. Is each of them genuinely satisfied, not only coded for? Look at the code and at what the tests showed.\n", on, s.Issue())
	var list strings.Builder
	for _, id := range want {
		text := text.VisibleLine(s.CriterionText(id))
		if text == "" {
			text = "(read it in the issue)"
		}
		if list.Len()+len(id)+len(text) > 6000 {
			list.WriteString("- …\n")
			break
		}
		fmt.Fprintf(&list, "- %s: %s\n", id, text)
	}
	b.WriteString(text.Fence(list.String()))
	b.WriteString("If one is not, keep working. If all are, confirm each:\n  warp state transition . " + string(on))
	for _, id := range want[:min(len(want), 3)] {
		fmt.Fprintf(&b, " --confirm '%s: how you know'", id)
	}
	if len(want) > 3 {
		b.WriteString(" …")
	}
	return b.String()
}
