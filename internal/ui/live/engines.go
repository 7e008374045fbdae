package live

import (
	"fmt"
	"io"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/livestate"
	"warp/internal/core/text"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/render"
)

// lookPace is how often engines are polled; they report no more often.
const lookPace = 500 * time.Millisecond

// engines are loops, pipelines and workflows.
type engines struct {
	look  func() []livestate.State
	began time.Time
	at    time.Time // of the last look
	seen  []livestate.State
}

// NewEngines returns a view of loops, pipelines and workflows: the lines written to it and, on a
// terminal, the activity of each engine below them.
func NewEngines(out io.Writer, o Options, look func() []livestate.State) *View {
	v := New(out, o)
	v.engines = &engines{look: look, began: v.o.Now()}
	return v
}

// Write shows lines above the block. After Close they go straight to the output.
func (v *View) Write(text []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return v.out.Write(text)
	}
	for line := range strings.Lines(string(text)) {
		v.add(drive.Remark, strings.TrimSuffix(line, "\n"))
	}
	v.wake()
	return len(text), nil
}

// show returns the engines' activity in at most rows rows.
func (e *engines) show(now time.Time, rows int) (out []line) {
	if len(e.seen) == 0 || now.Sub(e.at) >= lookPace || now.Before(e.at) {
		e.seen, e.at = e.look(), now
	}
	for _, s := range e.seen {
		out = append(out, line{{cyan, spin(now) + " "}, {bold, flat(text.JoinNonEmpty(": ", s.Title, s.Doing))}})
		out = append(out, doing(s, now)...)
	}
	if len(out) == 0 {
		return nil
	}
	out = append(out, line{{dim, "  " + e.meter(now)}})
	if most := max(1, rows); len(out) > most {
		out = append(out[:most-1], out[len(out)-1])
	}
	return out
}

// doing returns a wait, or what agents do and say.
func doing(s livestate.State, now time.Time) (out []line) {
	margin := span{plain, "  "}
	if s.Wait != nil {
		words := "waiting: " + s.Wait.Why
		if !s.Wait.Until.IsZero() {
			words += fmt.Sprintf(", until %s (in %s)", render.Moment(s.Wait.Until, now), render.Left(s.Wait.Until.Sub(now)))
		}
		return []line{{margin, {yellow, flat(words)}}}
	}
	for _, a := range s.Agents {
		out = append(out, line{margin, {plain, flat(fmt.Sprintf("%s (%s)", a.Agent, text.JoinNonEmpty(", ", a.Role, a.Work))) + "  "}, {cyan, flat(a.Tool)}})
		if a.Said != "" {
			out = append(out, line{margin, {dim, "“" + flat(a.Said) + "”"}})
		}
	}
	return out
}

// meter returns the total spent and the elapsed time.
func (e *engines) meter(now time.Time) string {
	var tokens, money, most int64
	for _, s := range e.seen {
		tokens, money, most = tokens+s.Tokens, money+s.MicroUSD, most+s.Caps.MicroUSD
	}
	text := render.Tokens(tokens) + " tokens · " + budget.Dollars(money)
	if money == 0 && tokens > 0 { // an agent that reports no price is not free
		text = render.Tokens(tokens) + " tokens · cost unknown"
	}
	if most > 0 && len(e.seen) == 1 {
		text += " of " + budget.Dollars(most)
	}
	return text + " · " + elapsed(now.Sub(e.began))
}
