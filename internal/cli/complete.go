package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

// offer returns the completions of an argument, with descriptions.
type offer func(a *app.App, d *turnstile.Drive, before []string) []cobra.Completion

// argument describes the arguments of a command.
type argument struct {
	offer offer
	many  bool // applies to all arguments, not only the first
}

// arguments maps commands to the completions of their arguments. Only shells ask for them, and
// only local state answers: a tracker would be too slow.
func arguments() map[string]argument {
	return map[string]argument{
		"drive":              {issues(isApproved), true},
		"next":               {issues(isApproved), false},
		"evidence":           {allIssues, false},
		"watch":              {underWay, false},
		"issue show":         {allIssues, false},
		"issue edit":         {issues(nil), false},
		"issue approve":      {issues(isNotApproved), false},
		"issue check":        {issues(nil), false},
		"issue criteria":     {issues(nil), false},
		"issue close":        {issues(nil), false},
		"issue contract":     {allIssues, false},
		"recover run":        {allIssues, false},
		"answer":             {questionsAndOptions, true},
		"sessions show":      {sessions, false},
		"sessions tail":      {sessions, false},
		"sessions stop":      {sessions, false},
		"sessions resume":    {sessions, false},
		"sessions rm":        {sessions, true},
		"checkpoint restore": {checkpoints, false},
		"checkpoint show":    {checkpoints, false},
		"checkpoint diff":    {checkpoints, true},
		"agent check":        {agents, false},
		"agent run":          {agents, false},
		"level":              {levels, false},
	}
}

// takesFiles lists the commands whose arguments may be files or folders.
var takesFiles = []string{"workflow", "pipeline", "loop", "docs", "sandbox", "state", "secrets", "agent run", "test", "hook"}

// flagValues maps flags of any command to their values.
var flagValues = map[string]func() []string{
	"agent":   config.Agents,
	"level":   func() []string { return []string{"2", "3"} },
	"sandbox": func() []string { return config.Find("sandbox").Choices },
}

// isCompletion reports whether a shell asks for completions.
func isCompletion(line []string) bool {
	return len(line) > 0 && (line[0] == cobra.ShellCompRequestCmd || line[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete registers the completions of a command's arguments and flags.
func complete(a *app.App, c *cobra.Command) {
	for name, values := range flagValues {
		if f := c.Flags().Lookup(name); f != nil && f.Value.Type() != "bool" {
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values(), cobra.ShellCompDirectiveNoFileComp)) // it may have its own
		}
	}
	if c.ValidArgsFunction != nil || c.HasSubCommands() {
		return
	}
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	arg, known := arguments()[path]
	c.ValidArgsFunction = func(_ *cobra.Command, before []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		if slices.ContainsFunc(takesFiles, func(s string) bool { return strings.HasPrefix(path+" ", s+" ") }) {
			directive = cobra.ShellCompDirectiveDefault
		}
		d, err := a.Project()
		if !known || err != nil || len(before) > 0 && !arg.many {
			return nil, directive
		}
		return arg.offer(a, d, before), directive
	}
}

func isApproved(i forge.Issue) bool    { return i.Has(forge.Approved) }
func isNotApproved(i forge.Issue) bool { return !isApproved(i) }

// issues offers the open issues a command is for, or all open ones if there are none. Of a
// forge's issues, only those driven here are known.
func issues(wanted func(forge.Issue) bool) offer {
	return func(a *app.App, d *turnstile.Drive, before []string) []cobra.Completion {
		list := knownIssues(a, d, false)
		if wanted != nil && slices.ContainsFunc(list, wanted) {
			list = slices.DeleteFunc(list, func(i forge.Issue) bool { return !wanted(i) })
		}
		if len(list) == 0 {
			return dropTyped(driven(a, d), before)
		}
		return dropTyped(describe(list), before)
	}
}

// allIssues also offers closed issues and those that were driven.
func allIssues(a *app.App, d *turnstile.Drive, before []string) []cobra.Completion {
	list := describe(knownIssues(a, d, true))
	for _, c := range driven(a, d) {
		if !slices.ContainsFunc(list, func(o cobra.Completion) bool { return word(o) == word(c) }) {
			list = append(list, c)
		}
	}
	return dropTyped(list, before)
}

func describe(list []forge.Issue) []cobra.Completion {
	var all []cobra.Completion
	for _, i := range list {
		all = append(all, cobra.CompletionWithDesc(strconv.Itoa(i.Number), text.OneLine(i.Title)))
	}
	return all
}

func driven(a *app.App, d *turnstile.Drive) []cobra.Completion {
	var all []cobra.Completion
	for number, title := range knownTitles(a, d) {
		all = append(all, cobra.CompletionWithDesc(number, text.OneLine(title)))
	}
	slices.Sort(all)
	return all
}

// questionsAndOptions offers the open questions, then the options of the chosen one.
func questionsAndOptions(a *app.App, d *turnstile.Drive, before []string) (all []cobra.Completion) {
	for _, q := range openQuestions(a, d) {
		if len(before) == 0 {
			all = append(all, cobra.CompletionWithDesc(q.ID, text.Opening(q.Question)))
		}
		if len(before) == 1 && q.ID == before[0] {
			for n, option := range q.Options {
				all = append(all, cobra.CompletionWithDesc(strconv.Itoa(n+1), text.Opening(option)))
			}
		}
	}
	return all
}

func sessions(_ *app.App, d *turnstile.Drive, before []string) []cobra.Completion {
	names, _ := documents.ListSessions(d.Store())
	return dropTyped(names, before)
}

// underWay offers what can be watched: driven issues and sessions.
func underWay(a *app.App, d *turnstile.Drive, before []string) []cobra.Completion {
	names, _ := documents.ListSessions(d.Store())
	return dropTyped(append(driven(a, d), names...), before)
}

func checkpoints(_ *app.App, d *turnstile.Drive, before []string) []cobra.Completion {
	return dropTyped(knownCheckpoints(d), before)
}

func agents(*app.App, *turnstile.Drive, []string) []cobra.Completion { return config.Agents() }

func levels(*app.App, *turnstile.Drive, []string) []cobra.Completion {
	return []cobra.Completion{cobra.CompletionWithDesc("2", "open pull requests"), cobra.CompletionWithDesc("3", "merge without asking")}
}

func dropTyped(list []cobra.Completion, before []string) []cobra.Completion {
	return slices.DeleteFunc(list, func(c cobra.Completion) bool { return slices.Contains(before, word(c)) })
}

// word returns a completion without its description.
func word(c cobra.Completion) string {
	w, _, _ := strings.Cut(c, "\t")
	return w
}
