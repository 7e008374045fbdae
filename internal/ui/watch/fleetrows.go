package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/ui/render"
)

func (f *Fleet) frame() string { return f.paint(f.rows()) }

func (f *Fleet) rows() []line {
	width, height := max(f.width, 20), max(f.height, 8)
	var rows []line
	if f.shown == nil {
		rows = []line{{}, {{dim, " reading …"}}}
		for _, l := range wrap(f.err, width-1, 4) {
			rows = append(rows, line{{red, " " + l}})
		}
	} else {
		rows = append(f.header(width), f.machines(width, max(1, min(6, height/6)))...)
		rows = append(rows, f.body(f.panes(), width, height-len(rows)-1, f.now)...)
	}
	return fill(rows, f.footer(width, f.keys()), width, height)
}

// header returns two rows: the fleet's progress and its budget.
func (f *Fleet) header(width int) []line {
	v := f.shown
	clock := line{{dim, f.now.Format("15:04:05")}}
	parts := []line{{{heading, "fleet " + text.Flat(v.Fleet)}}}
	for _, c := range []struct {
		style style
		n     int
		word  string
	}{{green, v.Merged, "merged"}, {cyan, len(v.Running), "running"}, {plain, len(v.Queue), "waiting"}, {yellow, len(v.Parked), "parked"}} {
		parts = append(parts, line{{c.style, fmt.Sprintf("%d %s", c.n, c.word)}})
	}
	parts = append(parts, say(plain, "night "+cmp.Or(v.Night, "not begun")))
	top := spread(width, join(parts...).cut(max(width-clock.width()-1, 1)), clock)
	second := line{{bold, formatBudget(v.Budget.Settled, v.Budget.Cap)}}
	if v.Budget.Reserved > 0 {
		second = join(second, say(dim, formatMoney(v.Budget.Reserved)+" reserved"))
	}
	if v.Budget.Over > 0 {
		second = join(second, say(yellow, formatMoney(v.Budget.Over)+" more than was reserved"))
	}
	if v.Paused != "" {
		second = join(second, say(yellow, v.Paused+" paused the fleet"))
	}
	if v.Quiet.After(f.now) {
		second = join(second, say(yellow, "quiet until "+render.Moment(v.Quiet, f.now)))
	}
	if f.err != "" {
		second = join(say(red, f.err), second)
	}
	return []line{top.fit(width), second.fit(width)}
}

// machines returns the workers with their slots, and counts those that do not fit.
func (f *Fleet) machines(width, most int) []line {
	list := f.shown.Machines
	if len(list) == 0 {
		return []line{{{yellow, " No machine has joined yet: run warp-fleet worker on one."}}}
	}
	const longest = 16
	names := 0
	for _, m := range list {
		names = min(max(names, len([]rune(text.Flat(m.Name)))), longest)
	}
	out := []line{}
	for n, m := range list {
		if n == most-1 && len(list) > most {
			return append(out, line{{dim, fmt.Sprintf(" and %d more machines", len(list)-n)}})
		}
		st := plain
		if m.Gone {
			st = red
		}
		name := truncate(text.Flat(m.Name), longest)
		out = append(out, join(line{{st, " " + name + strings.Repeat(" ", max(names-line{{plain, name}}.width(), 0))}, {plain, " "}, {cyan, drawSlots(m)}, {plain, fmt.Sprintf(" %d of %d", m.Used, m.Slots)}},
			say(dim, m.Pool), say(yellow, m.Words())).cut(width))
	}
	return out
}

// drawSlots draws a machine's slots, at most ten.
func drawSlots(m fleetview.Machine) string {
	const most = 10
	n := max(0, min(m.Slots, most))
	used := max(0, min(m.Used, n))
	return strings.Repeat("■", used) + strings.Repeat("□", n-used)
}

// panes returns the list, the chosen requirement and the question.
func (f *Fleet) panes() panes {
	p := panes{list: f.list}
	p.question, p.waiting = f.question()
	if at, chosen := f.selected(); chosen {
		p.detail = func(width int) []line { return f.detail(at, width) }
	}
	return p
}

// list returns the requirements by state.
func (f *Fleet) list(width, height int) []line {
	var l listing
	for _, part := range []struct {
		title string
		list  []fleetview.Requirement
	}{{"Running", f.shown.Running}, {"Waiting", f.shown.Queue}, {"Parked", f.shown.Parked}, {"Done", f.shown.Done}} {
		if len(part.list) == 0 {
			continue
		}
		l.rows = append(l.rows, line{{heading, " " + part.title}, {dim, fmt.Sprintf(" %d", len(part.list))}})
		for _, r := range part.list {
			chosen := r.ID() == f.chosen
			l.add(f.row(r, width, chosen), chosen)
		}
	}
	if len(l.rows) == 0 {
		l.rows = []line{{}, {{dim, " The fleet has no work."}}, {{dim, " warp-fleet submit gives it some."}}}
	}
	for _, c := range f.shown.Circles[:min(len(f.shown.Circles), 3)] {
		l.rows = append(l.rows, line{{yellow, " ! "}, {dim, text.Flat(c)}})
	}
	return f.scrollToChosen(l, height)
}

var fleetMarks = map[fleetview.State]span{fleetview.Running: {cyan, "▸"}, fleetview.Waiting: {plain, "·"}, fleetview.Parked: {yellow, "!"}, fleetview.Done: {green, "✓"}}

func fleetMark(r fleetview.Requirement) span {
	switch {
	case r.Ask != nil:
		return span{yellow, "?"}
	case r.Paused:
		return span{yellow, "‖"}
	}
	return fleetMarks[r.State]
}

// row returns a requirement's rows in the list, with what it does or waits for.
func (f *Fleet) row(r fleetview.Requirement, width int, chosen bool) []line {
	var right, note line
	if r.Spent.MicroUSD > 0 || r.State == fleetview.Running {
		right = line{{dim, fmt.Sprintf("%s %5s", formatMoney(r.Spent.MicroUSD), f.elapsed(r.Since))}}
	}
	switch {
	case r.State == fleetview.Done:
	case r.Ask != nil:
		note = say(yellow, r.Words())
	default:
		note = say(dim, r.Words())
	}
	return entryRows(width, chosen, fleetMark(r), text.Flat(r.ID())+" "+text.Flat(r.Title), right, note)
}

func (f *Fleet) elapsed(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return render.Elapsed(f.now.Sub(t))
}

// detail returns everything the view holds about one requirement.
func (f *Fleet) detail(r fleetview.Requirement, width int) (out []line) {
	for _, l := range wrap(text.Flat(r.ID())+" "+text.Flat(r.Title), width-1, 2) {
		out = append(out, line{{bold, " " + l}})
	}
	mark := fleetMark(r)
	state := join(line{{mark.style, mark.text + " " + text.Flat(string(r.State))}}, say(plain, r.PhaseWords()))
	if since := f.elapsed(r.Since); since != "" {
		state = join(state, line{{dim, "since " + since}})
	}
	out = append(out, slices.Concat(line{{plain, " "}}, state), line{})
	row := func(st style, label, words string) {
		for n, l := range wrap(text.Flat(words), max(width-12, 8), 4) {
			if n > 0 {
				label = ""
			}
			out = append(out, line{{dim, fmt.Sprintf(" %-9s ", label)}, {st, l}})
		}
	}
	row(plain, "doing", r.Doing)
	row(plain, "worker", r.Worker)
	row(plain, "account", r.Account)
	if r.Attempt > 0 {
		row(plain, "attempt", fmt.Sprint(r.Attempt))
	}
	row(cyan, "train", f.shown.TrainWords(r))
	row(plain, "spent", formatMoney(r.Spent.MicroUSD)+", "+render.Tokens(r.Spent.Tokens)+" tokens")
	if !r.Beat.IsZero() {
		row(dim, "heard", f.elapsed(r.Beat)+" ago")
	}
	if o := r.Outcome; o != nil {
		row(plain, "outcome", fleetview.Requirement{State: fleetview.Done, Outcome: o}.Words())
		row(yellow, "why", o.Why)
		row(plain, "to do", o.Do)
	} else {
		row(yellow, "why", r.Why)
	}
	if q := r.Ask; q != nil {
		row(yellow, "asks", q.Text)
		row(plain, "options", strings.Join(q.Options, ", "))
		if q.Default != "" && q.Minutes > 0 {
			row(dim, "default", fmt.Sprintf("%s, after %d minutes without an answer", q.Default, q.Minutes))
		}
	}
	if r.State == fleetview.Done || r.State == fleetview.Parked {
		out = append(out, line{}, line{{dim, " e shows the evidence for each criterion"}})
	}
	return out
}
