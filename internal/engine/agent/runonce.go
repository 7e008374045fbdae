package agent

import (
	"bytes"
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

	"warp/internal/core/answer"
	"warp/internal/core/errorclass"
	"warp/internal/core/redact"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// MarkPrefix starts the names of the variables that mark a run's processes.
const MarkPrefix = "WARP_RUN_"

// WorkVariable tells a run, and the hooks in it, which work it is part of: what they ask is
// withdrawn when that ends.
const WorkVariable = "WARP_WORK"

// runOnce runs an agent one time.
func (r *Runner) runOnce(ctx context.Context, a Adapter, t Task) (Result, error) {
	// Two runs never share a folder, however coarse the clock: one would read the other's result.
	id := strconv.FormatInt(r.Now().UnixNano(), 36) + "-" + strings.ToLower(rand.Text()[:6]) + "-" + a.Name()
	dir, err := r.folder(id, t.Role)
	if err != nil {
		return Result{}, err
	}
	place := filepath.Join(dir, "answer") // the only part of the run's folder that its agent may write to
	if err := os.Mkdir(place, 0o700); err != nil {
		return Result{}, fmt.Errorf("making a folder for the agent's answer: %w", err)
	}
	file := filepath.Join(place, "result.json")
	t.Boxed = r.Holds() != sandbox.Not
	t.Prompt += r.surroundings(t)
	inv, err := a.Invoke(t, file, answer.Schema(t.Role, t.Criteria))
	if err != nil {
		return Result{Agent: a.Name(), End: NoAgent, Why: err.Error(), Usage: noUsage}, nil
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	hide := r.Redact
	if hide == nil {
		hide = redact.New(r.Environ)
	}
	log := newTranscript(filepath.Join(dir, "output.log"))
	// No event of an agent is passed on before the agent is recorded.
	recorded := make(chan struct{})
	// A unique name: an agent that runs agents keeps its parent's mark.
	mark := MarkPrefix + strings.ReplaceAll(id, "-", "_") + "=1"
	// The mark is recorded before any process has it: a kill in between leaves nothing that cannot
	// be found.
	on := r.record(Left{ID: id, Agent: a.Name(), Role: t.Role, Dir: t.Dir, Mark: mark, Session: t.Session})
	defer on.forget()
	w := r.watcher(a, t, hide, cancel, func(session string) { on.change(func(l *Left) { l.Session = session }) })
	if t.Linger > 0 {
		l := linger{after: t.Linger, over: func() { cancel(errLingers) }}
		w.answered = l.answered
		go l.watch(running, t.Role, file)
		defer l.stop()
	}
	box, err := r.confine(proc.Cmd{
		Argv: inv.Argv, Dir: t.Dir, Env: append(r.environ(t, file), inv.Env...), Stdin: strings.NewReader(inv.Stdin),
		Line: func(l []byte) { <-recorded; log.line(hide.Bytes(l)); w.line(l) }, Idle: t.Idle, Timeout: t.Timeout, More: t.allow.moreTime, Mark: mark, IsMarkNew: true,
	}, a, t, place, w.reportRefused)
	if errors.Is(err, exec.ErrNotFound) {
		return Result{Agent: a.Name(), End: NoAgent, Why: explainMissing(err), Usage: noUsage}, nil
	}
	if err != nil {
		return Result{}, err
	}
	box.Cmd.Started = func(pid int) {
		stamp, _ := r.Started(pid)
		on.change(func(l *Left) { l.PID, l.Stamp = pid, stamp })
		close(recorded)
	}
	res, err := box.Run(running)
	if bad := box.Close(); bad != nil {
		w.note(bad.Error()) // a login may not have been refreshed
	}
	log.end(res, hide)
	out := w.parser.End(res.Exit, string(res.Stderr))
	out.Agent, out.Exit, out.Orphans, out.Duration, out.Log = a.Name(), res.Exit, res.Orphans, res.Duration, log.path
	out.Holds, out.Hooks = string(r.Holds()), box.Hooks()
	out.Usage = r.addPrice(out.Usage, w.model)
	r.takeResult(&out, t, file, hide)
	out, err = applyEnd(ctx, running, out, res, err)
	blameModel(&out, w.parser)
	w.reportSkippedLines(&out, res.LongLine)
	return out.withoutSecrets(hide), err
}

// applyEnd gives what we did to a run precedence over what it reported.
func applyEnd(ctx, running context.Context, out Result, res proc.Result, err error) (Result, error) {
	over, _ := errors.AsType[sandbox.OverLimit](err)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		out.End, out.Why, out.Usage = NoAgent, explainMissing(err), noUsage
	case ctx.Err() != nil:
		out.End, out.Why = Cancelled, "it was stopped"
		return out, ctx.Err()
	case err != nil && errors.Is(context.Cause(running), errBudget):
		out.End, out.Why = Budgeted, "the budget was reached during the run"
	case err != nil && errors.Is(context.Cause(running), errUnpriced):
		out.End, out.Why = Unpriced, noPrice(out.Usage.Model)
	case err != nil && errors.Is(context.Cause(running), errLingers):
		// It answered, but did not exit.
		if out.JSON == nil && out.End != Done {
			out.End, out.Why = Unusable, "it wrote an invalid result and did not exit"
			break
		}
		out.End, out.Why = Done, ""
	case over.Why != "":
		out.End, out.Why = OverLimit, over.Why
	case err != nil:
		out.End, out.Why = Crashed, err.Error()
	case res.Silent:
		out.End, out.Why = Idle, "it was silent for too long"
	case res.TimedOut:
		out.End, out.Why = TimedOut, "it ran out of time"
	}
	return out, nil
}

// blameModel blames the API for the silence of an agent that was waiting for its model: the agent
// cannot help a hanging stream.
func blameModel(out *Result, p Parser) {
	w, knows := p.(Waiter)
	if out.End != Idle || !knows {
		return
	}
	switch class := w.Waits(); class {
	case errorclass.None:
	case errorclass.RateLimit:
		out.End, out.Class, out.Why = APIError, class, "the API is at its limit and kept the agent waiting for too long"
	default:
		out.End, out.Class, out.Why = APIError, class, "its model's stream hung: the API sent nothing for too long"
	}
}

// takeResult takes the structured result from the file, from the parser, or from the agent's text.
// An invalid one is dropped.
func (r *Runner) takeResult(out *Result, t Task, file string, hide *redact.Redactor) {
	text, err := readAnswer(file)
	if err != nil {
		out.JSON, out.Invalid = nil, err.Error()
		return
	}
	if text != nil {
		if clean := hide.Bytes(text); !bytes.Equal(clean, text) {
			_ = durable.WriteNote(file, clean)
		}
		out.JSON, out.Invalid = answer.Read(t.Role, text)
		return
	}
	if out.JSON == nil {
		out.JSON, out.Invalid = answer.Find(t.Role, out.Text)
	} else if out.Invalid = answer.Valid(t.Role, out.JSON); out.Invalid != "" {
		out.JSON = nil
	}
}

// answerMost is the largest result file, in bytes.
const answerMost = 16 << 20

// readAnswer reads the result file; nil if there is none. It does not block on what the agent put
// there instead, such as a pipe.
func readAnswer(file string) ([]byte, error) {
	st, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !st.Mode().IsRegular():
		return nil, errors.New("the result file is not a regular file")
	case err == nil && st.Size() > answerMost:
		return nil, fmt.Errorf("the result file is larger than %d MB", answerMost>>20)
	case err == nil:
		var text []byte
		if text, err = durable.ReadPlain(file); err == nil {
			return text, nil
		}
	}
	return nil, fmt.Errorf("the result file cannot be read: %w", err)
}

// environ returns an agent's environment or, in a sandbox, what its allowlist selects from: a
// forge's token passes only if a person named it (sandbox_env).
func (r *Runner) environ(t Task, file string) []string {
	inherited := redact.ForProject(r.Environ)
	if r.Holds() != sandbox.Not {
		inherited = redact.WithoutBridge(r.Environ)
	}
	return append(inherited,
		"WARP_ROLE="+string(t.Role), WorkVariable+"="+t.Of, "WARP_ISSUE="+t.Issue, "WARP_CHUNK="+strconv.Itoa(t.Chunk),
		"WARP_CRITERIA="+strings.Join(t.Criteria, ","), "WARP_RESULT="+file)
}
