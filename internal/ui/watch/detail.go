package watch

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// mostShown bounds the lists of the detail.
const mostShown = 100

// detail returns the right-hand side: everything about one entry.
func detail(e entry, width int, now time.Time) (out []line) {
	i := e.item
	for _, l := range wrap(itemLabel(i)+" "+text.Flat(cmp.Or(i.Title, string(i.Kind))), width-1, 2) {
		out = append(out, line{{bold, " " + l}})
	}
	out = append(out, slices.Concat(line{{plain, " "}}, statusLine(e, now)))
	for _, l := range wrap(text.Flat(i.Why), width-1, 4) {
		out = append(out, line{{yellow, " " + l}})
	}
	if i.Do != "" {
		out = append(out, line{{dim, " do: "}, {plain, text.Flat(i.Do)}})
	}
	if e.unbegun {
		return out
	}
	out = append(out, slices.Concat(line{{plain, " "}}, costLine(i, now)))
	section := func(title string, rows []line) {
		if len(rows) > 0 {
			out = append(out, line{}, line{{heading, " " + title}})
			out = append(out, rows...)
		}
	}
	criteria, met := criteriaLines(e)
	section("Criteria"+met, criteria)
	section("Now", activityLines(i, width, now))
	section("Runs", timeline(e, width, now))
	section("Undone", interventionLines(e.feed.Book, i))
	return out
}

// statusLine describes an item's state in one line.
func statusLine(e entry, now time.Time) line {
	i := e.item
	mark := e.mark()
	switch {
	case e.unbegun && e.passed.IsZero():
		return line{{mark.style, "approved, and not begun yet"}}
	case e.unbegun:
		return line{{mark.style, "passed over"}, {dim, " at " + render.Moment(e.passed, now)}}
	case i.State.Over():
		return join(line{{mark.style, mark.text + " " + text.Flat(cmp.Or(i.Outcome(), string(i.State)))}}, line{{dim, "at " + render.Moment(i.Ended, now)}}, say(plain, text.Hash(i.Commit)), say(plain, i.Pull))
	}
	since := line{}
	if !i.Since.IsZero() {
		since = line{{dim, fmt.Sprintf("since %s (%s)", render.Moment(i.Since, now), render.Elapsed(now.Sub(i.Since)))}}
	}
	until := line{}
	if !i.Until.IsZero() {
		until = line{{yellow, "until " + render.Moment(i.Until, now)}}
	}
	return join(line{{mark.style, mark.text + " " + string(i.State)}}, say(plain, i.Doing), since, until)
}

// costLine returns an item's cost, duration and branch.
func costLine(i feed.Item, now time.Time) line {
	cost := itemCost(i)
	most := int64(0)
	if i.Live != nil {
		most = i.Live.Caps.MicroUSD
	}
	l := join(line{{plain, formatCost(cost, most)}}, line{{plain, render.Tokens(cost.Tokens) + " tokens"}}, line{{plain, render.Elapsed(elapsedTime(i, now))}})
	if i.Live != nil && i.Live.Wait != nil {
		l = join(l, say(yellow, i.Live.Wait.Why))
	}
	return join(l, say(dim, i.Branch))
}

// criteriaLines returns the criteria, each with its proof, and how many are met.
func criteriaLines(e entry) (out []line, met string) {
	if e.item.Issue == "" {
		return taskLines(e.item), ""
	}
	account := e.feed.Book.Account(e.item.Issue)
	if len(account.Criteria) == 0 {
		return taskLines(e.item), ""
	}
	for _, p := range account.Criteria[:min(len(account.Criteria), mostShown)] {
		out = append(out, criterionLine(livestate.Criterion{ID: p.ID, Text: p.Text, Done: p.Met, Skipped: p.Status == evidence.GivenUp, Doing: isDoing(e.item, p.ID)}))
		if l := proofLine(p); l.width() > 0 {
			out = append(out, slices.Concat(line{{plain, "     "}}, l))
		}
		if words := p.Proven.Agreed(); words != "" && !p.Met {
			out = append(out, line{{dim, "     contract: " + text.Flat(words)}})
		}
	}
	return out, fmt.Sprintf(" %d of %d", account.Good(), len(account.Criteria))
}

// proofLine returns a criterion's last commit, test and verdict.
func proofLine(p evidence.Proof) line {
	var commit, test, verdict line
	if n := len(p.Commits); n > 0 {
		commit = say(cyan, text.Hash(p.Commits[n-1].Hash))
	}
	if n := len(p.Tests); n > 0 {
		switch t := p.Tests[n-1]; {
		case t.Passed:
			test = line{{green, "tests passed"}}
		case len(t.Failing)+len(t.Broke) > 0:
			test = say(red, "failed: "+text.List(slices.Compact(slices.Concat(t.Broke, t.Failing)), 2))
		default:
			test = say(red, "tests: "+t.Said())
		}
	}
	if v := p.Verdict; v != nil {
		verdict = say(red, "not met: "+v.Reason)
		if v.Met {
			verdict = say(dim, "met: "+v.Reason)
		}
	}
	return join(commit, test, provenSpan(p.Proven), verdict, say(yellow, p.Why))
}

// provenSpan says how far a test that the coder did not see proves a criterion.
func provenSpan(p *evidence.Proven) line {
	words := p.Words()
	switch {
	case words == "":
		return nil
	case p.Holds():
		return say(green, words)
	case p.How == evidence.NotMet:
		return say(red, words)
	case p.Unproven():
		return say(yellow, words)
	}
	return say(dim, words)
}

func isDoing(i feed.Item, id string) bool {
	return i.Live != nil && slices.ContainsFunc(i.Live.Criteria, func(c livestate.Criterion) bool { return c.ID == id && c.Doing })
}

// taskLines returns the progress of an engine that keeps no evidence by criterion.
func taskLines(i feed.Item) (out []line) {
	if i.Live == nil {
		return nil
	}
	for _, c := range i.Live.Criteria[:min(len(i.Live.Criteria), mostShown)] {
		out = append(out, criterionLine(c))
	}
	return out
}

func criterionLine(c livestate.Criterion) line {
	mark := span{dim, "·"}
	switch {
	case c.Done:
		mark = span{green, "✓"}
	case c.Skipped:
		mark = span{red, "✗"}
	case c.Doing:
		mark = span{cyan, "▸"}
	}
	return line{{plain, " "}, mark, {plain, " "}, {dim, text.Flat(c.ID) + " "}, {plain, text.Flat(c.Text)}}
}

// recentShown is the number of recent events shown.
const recentShown = 8

// activityLines returns what the agents are doing, and the latest events.
func activityLines(i feed.Item, width int, now time.Time) (out []line) {
	if i.Live == nil {
		return nil
	}
	for _, a := range i.Live.Agents[:min(len(i.Live.Agents), mostShown)] {
		who := cmp.Or(a.Agent, "agent") + " as " + a.Role
		if a.Work != "" && a.Work != a.Role {
			who += " (" + a.Work + ")"
		}
		out = append(out, slices.Concat(line{{plain, " "}}, join(say(bold, who), say(cyan, a.Tool), line{{dim, render.Elapsed(now.Sub(a.Since))}}, line{{dim, render.Tokens(a.Tokens) + " tokens"}})))
		for _, l := range wrap(text.Flat(a.Said), width-4, 3) {
			out = append(out, line{{plain, "   " + l}})
		}
	}
	for _, l := range i.Live.Recent[max(0, len(i.Live.Recent)-recentShown):] {
		out = append(out, line{{dim, " " + l.At.In(now.Location()).Format("15:04:05") + " "}, {plain, fmt.Sprintf("%-8s ", truncate(text.Flat(l.Kind), 8))}, {dim, text.Flat(l.Text)}})
	}
	return out
}
