package live

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/feed"
)

// ending is how a result is displayed.
type ending struct{ mark, style, words string }

var endings = map[evidence.Result]ending{
	evidence.Merged:  {"✓", green, "merged"},
	evidence.Pull:    {"✓", green, "pull request open"},
	evidence.Partly:  {"▸", yellow, "partly done"},
	evidence.Budget:  {"‖", yellow, "budget spent"},
	evidence.Person:  {"?", yellow, "needs a person"},
	evidence.Failed:  {"✗", red, "failed"},
	evidence.Stopped: {"‖", yellow, "stopped"},
	evidence.NoWork:  {"·", plain, "no work"},
}

// fact is one property of an outcome.
type fact struct{ name, value string }

// facts returns the properties of an outcome; what a person has to do comes first.
func facts(o evidence.Outcome, d *watched, at time.Time) (out []fact) {
	for _, f := range []fact{{"why", o.Why}, {"do", o.Do}, {"pull", o.Pull}, {"branch", o.Branch}, {"commit", o.Commit}} {
		if f.value != "" {
			out = append(out, fact{f.name, flat(f.value)})
		}
	}
	if s := score(d); s != "" {
		out = append(out, fact{"criteria", s})
	}
	if o.Result != evidence.NoWork && (o.Epoch != 0 || d.tokens > 0 || d.unpriced) { // otherwise nothing ran
		out = append(out, fact{"spent", usageText(d, strconv.FormatInt(d.tokens, 10), ", ") + ", " + elapsed(at.Sub(d.began))})
	}
	return out
}

// outcome returns how a drive ended, on one line.
func outcome(n drive.Note, d *watched) string {
	o := outcomeOf(n)
	text := []string{flat(string(o.Result))}
	for _, f := range facts(o, d, n.At) {
		text = append(text, f.name+": "+f.value)
	}
	return strings.Join(text, "; ")
}

// summary returns the lines about a drive's end that stay on the terminal.
func (v *View) summary(n drive.Note, d *watched) []string {
	o := outcomeOf(n)
	e, ok := endings[o.Result]
	if !ok {
		e = ending{"·", plain, flat(string(o.Result))}
	}
	lines := []string{line{{e.style, e.mark + " "}, {bold, label(d)}, {e.style, separator(d) + e.words}}.paint(v.o.Color)}
	for _, f := range facts(o, d, n.At) {
		lines = append(lines, line{{dim, fmt.Sprintf("    %-9s", f.name)}, {plain, f.value}}.paint(v.o.Color))
	}
	return lines
}

func outcomeOf(n drive.Note) evidence.Outcome {
	if n.Outcome == nil {
		return evidence.Outcome{Result: "ended", Why: n.Text}
	}
	return *n.Outcome
}

// unfinished describes the drives that have not ended.
func (v *View) unfinished() (out []string) {
	for _, d := range v.drives.running() {
		if d.issue == "" {
			continue
		}
		d.ended = true
		n := drive.Note{At: v.o.Now(), Kind: drive.Remark, Issue: d.issue}
		out = append(out, v.prefixNote(n, yellow, text.JoinNonEmpty(", ", "not at its end: "+phaseText(d), score(d))))
	}
	return out
}

// name returns an issue as people write it.
func name(issue string) string {
	return flat(feed.IssueLabel(issue))
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("#%d", n)
}

func chunk(n, total int) string {
	switch {
	case n == 0:
		return ""
	case total == 0:
		return fmt.Sprintf("chunk %d", n)
	}
	return fmt.Sprintf("chunk %d/%d", n, total)
}

// score returns how many criteria are done.
func score(d *watched) string {
	if len(d.criteria) == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d done", countDone(d.criteria), len(d.criteria))
}

func countDone(list []drive.Criterion) (n int) {
	for _, c := range list {
		if c.Done {
			n++
		}
	}
	return n
}

// who returns the agent and its role.
func who(d *watched) string {
	if d.role == "" {
		return flat(d.agent)
	}
	return fmt.Sprintf("%s (%s)", flat(d.agent), flat(string(d.role)))
}

// money returns a drive's cost, and says if a part is unknown.
func money(d *watched) string {
	switch {
	case !d.unpriced:
		return budget.Dollars(d.microUSD)
	case d.microUSD == 0:
		return "cost unknown"
	}
	return "at least " + budget.Dollars(d.microUSD)
}

// usageText returns a drive's usage; an agent of unknown cost may not count its tokens either.
func usageText(d *watched, tokens, between string) string {
	if d.unpriced && d.tokens == 0 {
		return money(d)
	}
	return tokens + " tokens" + between + money(d)
}

func elapsed(d time.Duration) string { return max(d, 0).Truncate(time.Second).String() }
