package initcmd

import (
	"cmp"
	"fmt"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/ui/render"
)

// finish applies the changes and prints a summary, or each change if verbose.
func (p *plan) finish(a *app.App, o options) error {
	if p.err != nil {
		return p.err
	}
	if o.dry {
		for i := range p.Changes {
			p.Changes[i].apply = nil
		}
	}
	each := (o.verbose || o.dry) && !a.AsJSON
	counts := map[string]int{}
	err := p.apply(func(c Change) {
		counts[c.Action]++
		if each {
			a.Printf("%-9s  %s\n", c.Action, render.Printable(c.Path))
		}
	})
	if err == nil && !each && !a.AsJSON {
		a.Printf("%s\n", summary(counts))
	}
	a.Notes(p.Notes)
	if err != nil || !a.AsJSON {
		return err
	}
	return a.JSON(struct {
		Root    string   `json:"root"`
		DryRun  bool     `json:"dry_run"`
		Changes []Change `json:"files"`
		Notes   []string `json:"notes"`
	}{p.root, o.dry, p.Changes, append([]string{}, p.Notes...)})
}

// summary counts the changes by action in one line.
func summary(counts map[string]int) string {
	var done []string
	for _, action := range []string{created, changed, removed, kept} {
		if n := counts[action]; n > 0 {
			done = append(done, text.Count(n, "file")+" "+action)
		}
	}
	return cmp.Or(strings.Join(done, ", "), "Nothing to change") + " (-v lists them)."
}

// tellNext prints the next steps.
func (p *plan) tellNext(a *app.App) {
	steps := [][2]string{
		{`warp issue new -t "…"`, "write an issue; warp issue approve N releases it"},
		{"warp drive", "drive every approved issue; warp doctor says whether a drive could run"},
	}
	if s, err := p.drive.Project.Settings(); err == nil && s.Level == 0 {
		steps = append([][2]string{{"warp level 2", "open pull requests for you to merge; 3 merges without asking"}}, steps...)
	}
	a.Printf("\nNext:\n")
	for _, s := range steps {
		fmt.Fprintf(a.Out, "  %-21s  %s\n", s[0], s[1])
	}
}
