package agent

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"warp/internal/core/answer"
	"warp/internal/core/redact"
	short "warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// watcher follows one run.
type watcher struct {
	agent  string
	parser Parser
	over   func(Usage) bool // whether a run has used up its budget
	tell   func(string, Event)
	hide   *redact.Redactor
	price  func(Usage, string) Usage
	// known reports whether a dollar budget can limit a run on a model. told means that the agent
	// reported tokens without their cost ($250 were spent under a cap of $5 by an agent that
	// reports prices only at the end).
	known   func(model string, told bool) bool
	stop    func(error)
	learn   func(session string)
	session string
	model   string
	// answered is called when the agent has given its result; may be nil.
	answered func()
}

func (r *Runner) watcher(a Adapter, t Task, hide *redact.Redactor, stop context.CancelCauseFunc, learn func(string)) *watcher {
	_, frugal := a.(unpricedAgent)
	known := func(model string, told bool) bool {
		_, known := r.prices().Lookup(model)
		return known || t.Budget.MicroUSD <= 0 || !frugal && !told
	}
	return &watcher{agent: a.Name(), parser: a.Parser(t), over: func(u Usage) bool { return t.allow.reached(t.before.Add(u.Spent())) }, tell: r.tell(t), hide: hide, price: r.addPrice, known: known,
		stop: stop, learn: learn, session: t.Session, model: t.Model}
}

// tell returns who receives a task's events, or nil.
func (r *Runner) tell(t Task) func(string, Event) {
	switch {
	case r.Watch == nil:
		return t.Heard
	case t.Heard == nil:
		return r.Watch
	}
	return func(agent string, e Event) {
		t.Heard(agent, e)
		r.Watch(agent, e)
	}
}

func (w *watcher) line(line []byte) {
	for _, e := range w.parser.Line(line) {
		w.event(e)
	}
}

func (w *watcher) event(e Event) {
	w.model = cmp.Or(e.Model, w.model)
	if e.Usage != nil {
		so := w.price(*e.Usage, w.model)
		e.Usage = &so
		w.model = so.Model
	}
	if w.tell != nil {
		e.Text, e.Tool = w.hide.String(e.Text), w.hide.String(e.Tool)
		w.tell(w.agent, e)
	}
	if e.Session != "" && e.Session != w.session {
		w.session = e.Session
		w.learn(e.Session)
	}
	switch {
	case e.Kind == "result":
		if w.answered != nil {
			w.answered()
		}
		// A budget exceeded with the result comes too late: the answer is there and paid for.
	case e.Usage != nil && w.over(*e.Usage):
		w.stop(errBudget)
	case (e.Model != "" || e.Usage != nil && !e.Usage.Priced) && !w.known(w.model, e.Usage != nil && !e.Usage.Priced && e.Usage.Tokens() > 0):
		w.stop(errUnpriced)
	}
}

// note sends a note to those who watch.
func (w *watcher) note(text string) {
	if w.tell != nil {
		w.tell(w.agent, Event{Kind: "note", Text: w.hide.String(text)})
	}
}

// reportRefused reports a host that the sandbox did not allow.
func (w *watcher) reportRefused(host string) {
	w.note(w.agent + " tried to reach " + host + ", which its sandbox does not allow (sandbox_hosts)")
}

// reportSkippedLines reports lines that were too long to read: the result lacks what they said.
func (w *watcher) reportSkippedLines(out *Result, lines int) {
	if lines == 0 {
		return
	}
	note := fmt.Sprintf("skipped %s of its output longer than %d MB", short.Count(lines, "line"), proc.DefaultMaxLine>>20)
	w.note(note)
	if out.Why != "" {
		note = out.Why + "; " + note
	}
	out.Why = note
}

// lookEvery is how often the result file is polled.
const lookEvery = time.Second

// linger ends an agent that has given its result but does not exit: what it still does is unwanted.
type linger struct {
	after time.Duration
	over  func()

	mu    sync.Mutex
	quit  func() // nil: it has not answered
	ended bool
}

// answered starts the remaining time; only the first call counts.
func (l *linger) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.quit == nil && !l.ended {
		l.quit = proc.AfterAwake(l.after, l.over)
	}
}

func (l *linger) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended = true; l.quit != nil {
		l.quit()
	}
}

// watch waits for a valid result file. A half-written one does not count.
func (l *linger) watch(ctx context.Context, r Role, file string) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if st, err := os.Lstat(file); err != nil || !st.Mode().IsRegular() || st.Size() > answerMost {
			continue
		}
		text, err := durable.ReadPlain(file)
		if err != nil {
			continue
		}
		if v, _ := answer.Read(r, text); v != nil {
			l.answered()
			return
		}
	}
}
