// Package render prints what people read in a terminal. It turns values into text; it decides
// nothing and reads nothing.
package render

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// What of the ended work is shown: how long, and how many items.
const (
	recently   = 12 * time.Hour
	mostRecent = 5
)

// Status prints what happens in a project: the drive of this folder in full, a line for
// everything else under way, open questions, and what ended lately.
func Status(w io.Writer, f *feed.Feed, now time.Time) {
	here, ok := f.Here()
	open := without(f.Open(), here, ok)               // besides the drive of this folder
	ok = ok && (!here.State.Over() || len(open) == 0) // what is under way takes precedence
	blank := ok
	switch {
	case ok:
		driveBlock(w, f.Project, here, now)
	case len(open) > 0:
		blank = false
	default:
		fmt.Fprintf(w, "Nothing is running in %s.\n", Printable(f.Project))
		blank = true
	}
	section := func(title string) {
		if blank {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s:\n", title)
		blank = true
	}
	if len(open) > 0 {
		title := "Also here"
		if !ok {
			title = "Unfinished in " + Printable(f.Project)
		}
		section(title)
		items(w, f.Root, open, now)
	}
	if list := unshownQuestions(f, here); len(list) > 0 {
		section("Questions")
		for _, q := range list {
			fmt.Fprintf(w, "%s\n", Question(q, now))
		}
	}
	if ended := f.EndedSince(now.Add(-recently)); len(ended) > 0 {
		ended = slices.DeleteFunc(without(ended, here, ok), func(i feed.Item) bool {
			return i.Kind == feed.Drive && i.Issue == "" // a session's document: its issues are separate items
		})
		if len(ended) > 0 {
			section("Ended lately (warp report has more)")
			items(w, f.Root, ended[:min(len(ended), mostRecent)], now)
		}
	}
	if f.Today.Runs > 0 {
		fmt.Fprintf(w, "\nToday: %s\n", f.Today)
	}
}

func without(list []feed.Item, item feed.Item, is bool) (rest []feed.Item) {
	for _, i := range list {
		if !is || i.Drive.State == nil || i.Root != item.Root {
			rest = append(rest, i)
		}
	}
	return rest
}

// unshownQuestions returns the questions that no item shows.
func unshownQuestions(f *feed.Feed, here feed.Item) (list []feed.Question) {
	told := map[string]bool{}
	for _, i := range append(f.Open(), here) {
		if i.Question != nil {
			told[i.Question.ID] = true
		}
	}
	for _, q := range f.Questions {
		if !told[q.ID] {
			list = append(list, q)
		}
	}
	return list
}

func driveBlock(w io.Writer, project string, i feed.Item, now time.Time) {
	s := i.Drive.State
	fmt.Fprintf(w, "%s\n", headline(i))
	line := func(name, value string) { fmt.Fprintf(w, "%s: %s\n", name, text.VisibleLine(value)) }
	some := func(name, value string) {
		if value != "" {
			line(name, value)
		}
	}
	line("Project", project)
	line("Phase", string(s.Phase))
	line("Issue", cmp.Or(s.Issue(), "-"))
	some("Title", i.Title)
	line("Branch", cmp.Or(s.BranchName(), "-"))
	line("Level", fmt.Sprint(s.Session.Level))
	line("Chunk", fmt.Sprintf("%d / %d", s.Chunk.Index, s.Chunk.Total))
	m := s.Metrics
	fmt.Fprintf(w, "Commits: %d Chunks: %d Tests: %d Reports: %d\n", m.Commits, m.ChunksCompleted, m.TestsRun, m.ReportsFiled)
	if i.Criteria != nil {
		line("Criteria", fmt.Sprintf("%d of %d", i.Criteria.Met, i.Criteria.Total))
	}
	line("Started", Seconds(s.Session.StartedAt))
	line("PID", fmt.Sprint(s.Session.PID))
	if i.Cost.Runs > 0 {
		line("Cost", i.Cost.String())
	}
	if !i.State.Over() {
		line("Now", fmt.Sprintf("%s, %s since %s (%s)", i.State, i.Doing, Moment(i.Since, now), formatElapsed(i.Since, now)))
	} else if i.Result != "" {
		line("Result", evidence.Result(i.Result).Words())
	}
	printTrouble(some, i, now)
	if s.Phase == drivestate.BudgetExceeded {
		line("Tripped", fmt.Sprintf("%s in %s at %s", strings.Join(s.Budgets.ExceededReasons, ", "), s.Budgets.ExceededFromPhase, Seconds(s.Budgets.ExceededAt)))
	}
	if i.Question != nil {
		line("Asks", Question(*i.Question, now))
	}
	some("Do", i.Do)
	if how := s.Session.Sandbox; how != "" && how != "contained" {
		line("Sandbox", "agents are "+how+"; warp doctor says how to get a sandbox")
	}
	if p := s.Permissions; p != nil {
		line("Permissions", fmt.Sprintf("%d asked, %d denied", p.Asked, p.Denied))
	}
	if n := len(s.DoomLoops); n > 0 {
		line("Doom loops", fmt.Sprint(n))
	}
}

// printTrouble prints why a drive does not continue.
func printTrouble(some func(name, value string), i feed.Item, now time.Time) {
	s := i.Drive.State
	switch {
	case s.Frozen != nil:
		for _, m := range s.Frozen.Moves {
			some("Frozen", m.String()+" unseen by the guards")
		}
		if s.Frozen.State {
			some("Frozen", "something other than warp wrote the state")
		}
	case s.Paused != nil:
		some("Paused", "since "+Seconds(s.Paused.At))
	case i.State == feed.Waiting && !i.Until.IsZero():
		some("Waiting", "until "+momentWithZone(i.Until, now)+": "+i.Why)
	default:
		some("Why", i.Why)
	}
}

// headline returns the first line of a drive. Programs look for the words ACTIVE and (stale).
func headline(i feed.Item) string {
	s := i.Drive.State
	word := "ACTIVE"
	switch {
	case s.Frozen != nil && s.Phase.Active():
		word = "FROZEN"
	case s.Paused != nil:
		word = "PAUSED"
	case s.Phase == drivestate.Aborted, s.Phase == drivestate.Idle:
		word = strings.ToUpper(string(s.Phase))
	case i.State == feed.Parked, i.State == feed.Stopped, i.State == feed.Failed:
		word = strings.ToUpper(string(i.State))
	case s.Phase == drivestate.Completed:
		word = "COMPLETED"
	}
	if i.Drive.Stale && s.Phase.Active() && i.State != feed.Parked {
		word += " (stale)"
	}
	return "WARP DRIVE " + word
}

// Question formats a question on one line, with how to answer it.
func Question(q feed.Question, now time.Time) string {
	words := q.ID + " " + q.Text
	if q.Issue != "" {
		words = fmt.Sprintf("%s (#%s) %s", q.ID, q.Issue, q.Text)
	}
	if len(q.Options) > 0 {
		words += " [" + strings.Join(q.Options, " | ") + "]"
	}
	do := ": warp answer " + Printable(q.ID)
	if q.Taken {
		return Printable(text.OneLine(words+", the default "+q.Default+" was taken")) + do + " … changes it"
	}
	if q.Default != "" {
		words += ", default " + q.Default
	}
	if q.Deadline.After(now) {
		words += ", until " + momentWithZone(q.Deadline, now)
	} else if !q.Deadline.IsZero() {
		words += ", late since " + momentWithZone(q.Deadline, now)
	}
	return Printable(text.OneLine(words)) + do
}

// Name returns how people refer to an item.
func Name(i feed.Item) string {
	switch {
	case i.Issue != "":
		return "#" + i.Issue
	case i.IsDrive():
		return "drive"
	}
	return i.Name
}

// items prints a line for each item, and below it why it does not continue and what to do.
func items(w io.Writer, root string, list []feed.Item, now time.Time) {
	rows := [][]string{{"NAME", "KIND", "STATE", "DOING", "SINCE", "COST", "WHERE"}}
	for _, i := range list {
		since, doing := i.Since, i.Doing
		if i.State.Over() {
			since, doing = i.Ended, i.Outcome()
		}
		rows = append(rows, []string{Name(i), string(i.Kind), string(i.State), cmp.Or(text.ClipRunes(doing, 60), "-"), formatElapsed(since, now), cost(i), folder(root, i.Root)})
	}
	lines := table(rows)
	fmt.Fprintln(w, lines[0])
	for n, i := range list {
		fmt.Fprintln(w, lines[n+1])
		under := func(name, value string) {
			if value != "" {
				fmt.Fprintf(w, "  %s: %s\n", name, Printable(text.ClipRunes(text.OneLine(value), 300)))
			}
		}
		under("why", i.Why)
		if i.Question != nil {
			under("asks", Question(*i.Question, now))
		}
		if !i.Until.IsZero() {
			under("until", momentWithZone(i.Until, now))
		}
		under("do", i.Do)
	}
}

func cost(i feed.Item) string {
	if i.Cost.Runs == 0 && i.Cost.MicroUSD == 0 {
		return "-"
	}
	return i.Cost.Sum()
}

// folder returns a work tree relative to the root.
func folder(root, path string) string {
	if path == "" || path == root {
		return "."
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
