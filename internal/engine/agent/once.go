package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/sys/proc"
)

// runs is where each run keeps its output and its result, under the store.
const runs = "state/runs"

// once runs an agent one time.
func (r *Runner) once(ctx context.Context, a Adapter, t Task) (Result, error) {
	// Two runs never share a folder, however coarse the clock is: the result
	// of one would be the other's.
	id := strconv.FormatInt(r.Now().UnixNano(), 36) + "-" + strings.ToLower(rand.Text()[:6]) + "-" + a.Name()
	dir := filepath.Join(r.Store.Dir(), filepath.FromSlash(runs), id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Result{}, fmt.Errorf("making a folder for the agent's output: %w", err)
	}
	file := filepath.Join(dir, "result.json")
	inv, err := a.Invoke(t, file, Schema(t.Role))
	if err != nil {
		return Result{Agent: a.Name(), End: NoAgent, Why: err.Error()}, nil
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Nothing is told of an agent that is not on record yet.
	recorded := make(chan struct{})
	w := &watcher{agent: a.Name(), parser: a.Parser(t), budget: t.Budget, tell: r.Watch, stop: func() { cancel(errBudget) },
		learn: func(session string) { r.learn(id, session) }, session: t.Session}
	// A name of its own: an agent that runs agents keeps its parent's mark.
	mark := "WARP_RUN_" + strings.ReplaceAll(id, "-", "_") + "=1"
	res, err := proc.Run(running, proc.Cmd{
		Argv: inv.Argv, Dir: t.Dir, Env: append(r.environ(t, file), inv.Env...), Stdin: strings.NewReader(inv.Stdin),
		Log: filepath.Join(dir, "output.log"), Line: func(l []byte) { <-recorded; w.line(l) }, Idle: t.Idle, Timeout: t.Timeout, Mark: mark,
		Started: func(pid int) {
			r.record(Left{ID: id, PID: pid, Agent: a.Name(), Role: t.Role, Dir: t.Dir, Mark: mark, Session: t.Session})
			close(recorded)
		},
	})
	r.forget(id)
	out := w.parser.End(res.Exit, string(res.Stderr))
	out.Agent, out.Exit, out.Orphans, out.Duration = a.Name(), res.Exit, res.Orphans, res.Duration
	out.Log = filepath.Join(dir, "output.log")
	r.judge(&out, t, file)
	return ended(ctx, running, out, res, err)
}

// ended lets what we did to a run count more than what it said.
func ended(ctx, running context.Context, out Result, res proc.Result, err error) (Result, error) {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		out.End, out.Why = NoAgent, err.Error()
	case ctx.Err() != nil:
		out.End, out.Why = Cancelled, "it was stopped"
		return out, ctx.Err()
	case err != nil && errors.Is(context.Cause(running), errBudget):
		out.End, out.Why = Budgeted, "the budget was reached during the run"
	case err != nil:
		out.End, out.Why = Crashed, err.Error()
	case res.Silent:
		out.End, out.Why = Idle, "it said nothing for too long"
	case res.TimedOut:
		out.End, out.Why = TimedOut, "its time was up"
	}
	return out, nil
}

// judge takes the structured result: from the file, or from what the parser
// found, or from the agent's words. An invalid one is none.
func (r *Runner) judge(out *Result, t Task, file string) {
	text, err := answer(file)
	if err != nil {
		out.JSON, out.Invalid = nil, err.Error()
		return
	}
	if text != nil {
		v, bad := lossless.Parse(text)
		if bad != nil {
			out.JSON, out.Invalid = nil, "the result file is no JSON document: "+bad.Error()
			return
		}
		out.JSON = v
	}
	if out.JSON == nil {
		out.JSON = Extract(t.Role, out.Text)
	}
	if why := Valid(t.Role, out.JSON); why != "" {
		out.JSON, out.Invalid = nil, why
	}
}

// answerMost bounds the result file.
const answerMost = 16 << 20

// answer reads the result file, nil when there is none. What the agent has put
// there instead of a file, a pipe for one, is not waited for.
func answer(file string) ([]byte, error) {
	st, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !st.Mode().IsRegular():
		return nil, errors.New("what stands in the place of the result file is no file")
	case err == nil && st.Size() > answerMost:
		return nil, fmt.Errorf("the result file is larger than %d MB", answerMost>>20)
	case err == nil:
		var text []byte
		if text, err = os.ReadFile(file); err == nil {
			return text, nil
		}
	}
	return nil, fmt.Errorf("the result file cannot be read: %w", err)
}

// environ is what every child gets.
func (r *Runner) environ(t Task, file string) []string {
	return append(append([]string{}, r.Environ...),
		"WARP_ROLE="+string(t.Role), "WARP_ISSUE="+t.Issue, "WARP_CHUNK="+strconv.Itoa(t.Chunk),
		"WARP_CRITERIA="+strings.Join(t.Criteria, ","), "WARP_RESULT="+file)
}

// watcher follows one run.
type watcher struct {
	agent   string
	parser  Parser
	budget  Budget
	tell    func(string, Event)
	stop    func()
	learn   func(session string)
	session string
}

func (w *watcher) line(line []byte) {
	for _, e := range w.parser.Line(line) {
		if w.tell != nil {
			w.tell(w.agent, e)
		}
		if e.Session != "" && e.Session != w.session {
			w.session = e.Session
			w.learn(e.Session)
		}
		// What comes with the result comes too late to be stopped: the answer
		// is there and paid for.
		if e.Usage != nil && e.Kind != "result" && w.budget.spentBy(*e.Usage) {
			w.stop()
		}
	}
}
