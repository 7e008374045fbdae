package hook

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/drive"
)

// personal are the commands of warp that are a person's decision while a drive
// is active: an agent that may change the rules is bound by none.
var personal = [][]string{{"override"}, {"init", "--remove"}, {"config", "set"}, {"level"}, {"state", "reset"}}

func (c *call) refuseWarp(s *drive.State, act command.Act) string {
	words := plain(act.Args)
	for _, p := range personal {
		if len(words) > 0 && words[0] == p[0] && (len(p) == 1 || slices.Contains(act.Args, p[1])) && !(p[0] == "level" && len(words) == 1) {
			return fmt.Sprintf("`warp %s` is a person's decision while a drive is active: ask for it in your answer", strings.Join(p, " "))
		}
	}
	if len(words) < 2 || words[0] != "state" || words[1] != "transition" {
		return ""
	}
	if slices.Contains(act.Args, dynamic) {
		return fmt.Sprintf("`%s`: write the event plainly", act.Words)
	}
	if len(words) < 4 {
		return ""
	}
	switch on := drive.Event(words[3]); on {
	case drive.Committed, drive.CommitWithDocGate:
		return c.refuseCommitted(s, on)
	case drive.CodeComplete, drive.TestsPassed, drive.RequirementDone:
		return c.unconfirmed(s, on, confirmed(act.Args))
	}
	return ""
}

// dynamic stands for an argument that is only known at run time.
const dynamic = "\x00"

// plain are the arguments that are no flags, and no flags' values.
func plain(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--data" || args[i] == "--confirm":
			i++
		case !strings.HasPrefix(args[i], "-"):
			out = append(out, args[i])
		}
	}
	return out
}

// refuseCommitted: that something was committed is read from git.
func (c *call) refuseCommitted(s *drive.State, on drive.Event) string {
	if s.Phase != drive.Committing {
		return ""
	}
	made, err := c.drive.Made(s, nil)
	if err == nil && len(made) == 0 && s.Watch != nil {
		return fmt.Sprintf("nothing was committed in this phase, so %s is not true: make the commit, and the hook fires the event by itself", on)
	}
	return ""
}

// confirmed are the criteria that the command line confirms.
func confirmed(args []string) []string {
	var ids []string
	add := func(text string) {
		for _, part := range strings.Split(text, ",") {
			id, _, _ := strings.Cut(part, ":")
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

// unconfirmed puts the criteria before the agent again, in the words of the
// issue: it must confirm each of them before the phase is left.
func (c *call) unconfirmed(s *drive.State, on drive.Event, have []string) string {
	if _, err := s.Check(on); err != nil {
		return "" // the table refuses it anyhow
	}
	cfg, err := c.drive.Settings()
	if err != nil || !cfg.PreExit { // broken settings are told by the transition itself
		return ""
	}
	want := s.ToConfirm(on)
	if len(want) == 0 {
		want = []string{"all"}
	}
	missing := slices.DeleteFunc(slices.Clone(want), func(id string) bool { return slices.Contains(have, id) })
	if len(missing) == 0 {
		return ""
	}
	if len(have) > 0 {
		return fmt.Sprintf("not confirmed yet: %s. Add --confirm 'ID: how you know' for each.", strings.Join(missing, ", "))
	}
	return question(s, on, want)
}

// question is bounded, since a denial is put into the agent's context.
func question(s *drive.State, on drive.Event, want []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "before %s, read the acceptance criteria of #%s once more. Is each of them genuinely satisfied, not only coded for? Look at the code and at what the tests showed.\n", on, s.Issue())
	for _, id := range want {
		text := s.Written(id)
		if text == "" {
			text = "(read it in the issue)"
		}
		if b.Len()+len(id)+len(text) > 6000 {
			b.WriteString("- …\n")
			break
		}
		fmt.Fprintf(&b, "- %s: %s\n", id, text)
	}
	b.WriteString("If one is not, go on working. If all are, say so for each:\n  warp state transition . " + string(on))
	for _, id := range want[:min(len(want), 3)] {
		fmt.Fprintf(&b, " --confirm '%s: how you know'", id)
	}
	if len(want) > 3 {
		b.WriteString(" …")
	}
	return b.String()
}
