package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	core "warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

func print(s sheet, r Account, from, now time.Time) {
	when := from.Format("2006-01-02 15:04 MST")
	if r.Empty() && len(r.Work) == 0 {
		fmt.Fprintf(s.W, "Nothing has happened since %s.\n", when)
		return
	}
	heading := func(n int, title string) {
		if n > 0 {
			s.heading(title)
		}
	}
	done, open := 0, 0
	for _, i := range r.Work {
		if i.State == feed.Done {
			done++
		} else {
			open++
		}
	}
	fmt.Fprintf(s.W, "Since %s: %d done, %d not done, %s\n", when, len(r.Done)+done, len(r.NotDone)+open, countWaiting(r))
	heading(len(r.Done)+done, "DONE")
	for _, i := range r.Done {
		item(s, green, i)
		if i.Red != "" && i.Why == "" {
			fmt.Fprintf(s.W, "  %s\n", render.Printable(strings.ReplaceAll(i.Red, "**", "")))
		}
		if i.Look != "" {
			s.line(4, yellow, "look:", 4, i.Look)
		}
	}
	work(s, green, r.Work, true, now)
	heading(len(r.NotDone)+open, "NOT DONE")
	for _, i := range r.NotDone {
		item(s, red, i)
	}
	work(s, red, r.Work, false, now)
	heading(len(r.PassedOver), "PASSED OVER")
	for _, p := range r.PassedOver {
		s.line(2, yellow, "#"+p.Issue, 0, p.Title)
		s.line(4, "", "why:", 0, p.Why)
		s.line(4, "", "do:", 4, "warp issue show "+p.Issue)
	}
	heading(len(r.Waiting), "WAITING FOR A PERSON")
	for _, w := range r.Waiting {
		waiting(s, w)
	}
	heading(len(r.Interventions), "UNDONE")
	for _, i := range r.Interventions {
		text := i.What + ": " + i.Text
		if i.Kept != "" {
			text += ", kept as " + i.Kept
		}
		s.line(2, "", "#"+i.Issue, 0, text)
	}
	total(s, r.Digest)
}

// countWaiting counts each issue and piece of work that waits once, and says how many of them are
// counted as done or not done, too.
func countWaiting(r Account) string {
	subject := func(issue, name string) string {
		if issue != "" {
			return "#" + issue
		}
		return name
	}
	listed := map[string]bool{}
	for _, i := range slices.Concat(r.Done, r.NotDone) {
		listed[subject(i.Issue, "")] = true
	}
	for _, i := range r.Work {
		listed[subject(i.Issue, i.Name)] = true
	}
	count, both := 0, 0
	seen := map[string]bool{}
	for _, w := range r.Waiting {
		name := subject(w.Issue, w.Name)
		if name != "" && seen[name] {
			continue
		}
		seen[name] = true
		count++
		if listed[name] {
			both++
		}
	}
	words := fmt.Sprintf("%d waiting for a person.", count)
	if both > 0 {
		words += fmt.Sprintf("\n(%d of those that wait also count as done or not done.)", both)
	}
	return words
}

func total(s sheet, d core.Digest) {
	s.heading("TOTAL")
	s.line(2, "", "cost", 0, d.Cost.String())
	if strings.Contains(d.Contained, "not contained") {
		s.line(2, "", "sandbox", 0, d.Contained+"; warp doctor says how to get a sandbox")
	}
	if d.NoWork != "" && len(d.Done)+len(d.NotDone) == 0 {
		s.line(2, "", "work", 0, "no approved issue could be worked on at "+render.Seconds(d.NoWork))
	}
}

func item(s sheet, colour string, i core.Item) {
	s.line(2, colour, "#"+i.Issue, 0, i.Title)
	cost := ""
	if i.Cost.Runs > 0 {
		cost = i.Cost.Money()
		if i.Cost.Unpriced == i.Cost.Runs {
			cost = "cost " + cost
		}
	}
	s.line(4, "", "", 0, text.JoinNonEmpty(", ", i.Result.Words(), fmt.Sprintf("%d of %d criteria", i.Met, i.Criteria), text.Hash(i.Commit), i.Pull, cost))
	if len(i.Before) > 0 {
		s.line(4, yellow, "met before the work:", 4, strings.Join(i.Before, ", "))
	}
	for _, words := range i.Decided {
		s.line(4, "", "decided beyond the issue:", 4, words)
	}
	for _, words := range i.Unused {
		s.line(4, yellow, "unused answer:", 4, words)
	}
	reasons(s, i.Why, i.Do)
}

// work prints the sessions and workflows that are done, or those that are not.
func work(s sheet, colour string, list []feed.Item, done bool, now time.Time) {
	for _, i := range list {
		if (i.State == feed.Done) != done {
			continue
		}
		s.line(2, colour, i.Name, 0, string(i.Kind))
		doing, cost, ended := i.Doing, "", ""
		if i.State.Over() {
			doing, ended = cmp.Or(i.Result, doing), "ended "+render.Moment(i.Ended, now)
		}
		if i.Cost.Runs > 0 || i.Cost.MicroUSD > 0 {
			cost = i.Cost.Sum()
		}
		s.line(4, "", "", 0, text.JoinNonEmpty(", ", string(i.State), doing, cost, ended))
		do := i.Do
		if done {
			do = ""
		}
		reasons(s, i.Why, do)
	}
}

func reasons(s sheet, why, do string) {
	if why != "" {
		s.line(4, "", "why:", 0, why)
	}
	if do != "" {
		s.line(4, "", "do:", 4, do)
	}
}

var waitingTitles = map[string]string{"todo": "a decision", "default": "a default was taken", "bug": "given up", "pull": "a pull request", "question": "a question", "guided": "a guided drive", "quality": "a quality loop"}

func waiting(s sheet, w core.Waiting) {
	head := cmp.Or(waitingTitles[w.What], "a "+w.What)
	switch {
	case w.Issue != "":
		head += " for #" + w.Issue
	case w.Name != "":
		head += " " + w.Name
	}
	number := ""
	if w.Number > 0 {
		number = fmt.Sprintf("#%d", w.Number)
	}
	s.line(2, yellow, head+":", 0, text.JoinNonEmpty(" ", number, w.Text, w.URL))
	s.line(4, "", "do:", 0, w.Do)
}
