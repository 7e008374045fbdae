package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// logFile is the session's log, in its folder.
const logFile = "session.log"

// view shows progress on the terminal and in the session's log.
type view struct {
	app       *app.App
	json      bool
	nameLines bool
	brief     bool // agent output is shown elsewhere
	name      string
	path      string
	tell      func(notify.Message) // sends a notification
	began     time.Time
	told      string // kind of the final message; "" until it was sent

	mu  *sync.Mutex
	log *os.File
}

func newView(a *app.App, d *turnstile.Drive, name string, o Options) *view {
	v := &view{app: a, json: o.JSON, nameLines: o.Out != nil, name: name, path: filepath.Join(folderOf(d, name), logFile), mu: o.Out, began: a.Env.Now()}
	if v.mu == nil {
		v.mu = &sync.Mutex{}
	}
	return v
}

// note shows one note, even if logging fails.
func (v *view) note(n session.Note) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n.Kind == session.Ending {
		v.tellEnd(n.State, n.Person)
		return
	}
	n.Session = cmp.Or(n.Session, v.name)
	if m, ok := message(n); ok {
		v.tell(m)
	}
	line, ok := formatNote(n)
	if ok && v.openLog() {
		fmt.Fprintln(v.log, line)
	}
	switch {
	case v.json:
		n.At = n.At.UTC()
		if text, err := json.Marshal(n); err == nil {
			v.app.Printf("%s\n", text)
		}
	case v.brief && n.Kind == session.Said:
	case ok && v.nameLines:
		v.app.Printf("%s: %s\n", v.name, line)
	case ok:
		v.app.Printf("%s\n", line)
	}
}

// openLog opens the log once the session's folder exists, and reopens it after the folder was
// replaced.
func (v *view) openLog() bool {
	if _, err := os.Lstat(v.path); v.log != nil && err != nil {
		_ = v.log.Close()
		v.log = nil
	}
	if v.log == nil {
		v.log, _ = os.OpenFile(v.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) // on failure there is no log
	}
	return v.log != nil
}

func (v *view) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.log != nil {
		_ = v.log.Close()
		v.log = nil
	}
}

// tellEnd notifies people of the session's end, once.
func (v *view) tellEnd(s *sessionstate.State, err error) {
	if m, ok := v.endMessage(s, err); ok && m.Kind != v.told {
		v.told = m.Kind
		v.tell(m)
	}
}

// finish prints how a session ended and returns the error for its exit code.
func (v *view) finish(j session.Job, s *sessionstate.State, err error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tellEnd(s, err)
	if s != nil && s.Status != sessionstate.Running && !v.json {
		v.app.Printf("%s\n", endLine(s))
	}
	if s != nil && err == nil {
		v.app.Notes(advice(s))
	}
	logged := "" // for the log, the only record later
	if nothing, is := errors.AsType[*session.NothingError](err); is {
		v.app.Note("%s", nothing.Why)
	} else if stopped, is := errors.AsType[*step.StoppedError](err); is {
		v.app.Notes([]string{"needs a person: " + stopped.Why, stopped.Do})
		logged = "needs a person: " + stopped.Why + "; " + stopped.Do
	} else if errors.Is(err, session.ErrPaused) {
		v.app.Notes([]string{err.Error(), "warp sessions resume " + v.name + " continues it"})
		logged = err.Error()
	} else if err != nil && !app.IsA[*durable.LockedError](err) && !errors.Is(err, context.Canceled) {
		logged = "it was interrupted: " + err.Error()
	}
	if text, _ := formatNote(session.Note{At: v.app.Env.Now(), Kind: session.Remark, Text: logged}); logged != "" && v.openLog() {
		fmt.Fprintln(v.log, text)
	}
	return exitError(s, err, s != nil && j.Unmet(s))
}

// advice returns how to resume a session that would otherwise end the same way again.
func advice(s *sessionstate.State) []string {
	switch {
	case s.Stalled():
		return []string{fmt.Sprintf("warp sessions resume %s tries again; its limits need not be raised", s.Session)}
	case s.Reason() == sessionstate.ReasonBudget:
		return []string{fmt.Sprintf("warp sessions resume %s continues with a new total, including what is already spent: --max-cost 10, --max-tokens 2000000 or --max-time 3h", s.Session)}
	case s.Status == sessionstate.Failed && strings.Contains(s.Why, "times and not done"):
		return []string{fmt.Sprintf("warp sessions resume %s --retry retries what was given up", s.Session)}
	}
	return nil
}

// endLine returns the final line about a session.
func endLine(s *sessionstate.State) string {
	status, reason, why := s.Status, s.Reason(), s.Why
	if early, what, is := s.EndedEarly(); is {
		status, reason, why = "not done", early, what // the state file says complete, for compatibility
	}
	line := fmt.Sprintf("%s: %s (%s) after %s", s.Session, status, reason, text.Count(s.Iterations(), "iteration"))
	if why != "" {
		line += ": " + render.Printable(text.OneLine(why))
	}
	if spent := s.Spent(); spent.MicroUSD > 0 || spent.Tokens > 0 {
		cost, known := s.Cost()
		if !known {
			cost = "cost unknown"
		}
		line += fmt.Sprintf("; %s, %d tokens", cost, spent.Tokens)
	}
	return line
}

// formatNote formats a note for people; false if it is only for programs.
func formatNote(n session.Note) (string, bool) {
	words := n.Text
	switch n.Kind {
	case session.Said:
		if n.Said == nil || n.Said.Kind != "text" && n.Said.Kind != "tool" {
			return "", false
		}
		words = strings.TrimSpace(n.Said.Tool + " " + n.Said.Text)
	case session.Ran:
		words = describeRow(n.Row)
	case session.Ended, session.StageOver:
		words = strings.TrimSuffix(n.Reason+": "+n.Text, ": ")
	case session.Committed:
		words = text.Hash(n.Hash) + " " + words
	case session.Verified: // a gate's result is in its text
		words += map[bool]string{true: ": passed", false: ": failed"}[n.Passed != nil && *n.Passed]
	}
	where := n.Stage
	if n.Iteration > 0 {
		where = strings.TrimSpace(fmt.Sprintf("%s #%d", where, n.Iteration))
	}
	words = text.ClipRunes(render.Printable(text.OneLine(words)), 400)
	return strings.TrimRight(fmt.Sprintf("%s %-9s %-12s %s", n.At.Local().Format(time.RFC3339), n.Kind, where, words), " "), true
}

func describeRow(r *sessionstate.Row) string {
	if r == nil {
		return ""
	}
	var parts []string
	if r.End != "" {
		parts = append(parts, "no result ("+r.End+")")
	}
	switch {
	case r.Changed:
		parts = append(parts, "changed files")
	case !r.Unseen:
		parts = append(parts, "changed nothing")
	}
	if r.Plateau {
		parts = append(parts, "plateau")
	}
	if len(r.Items) > 0 {
		parts = append(parts, "done: "+strings.Join(r.Items, ", "))
	}
	if r.Summary != "" {
		parts = append(parts, r.Summary)
	}
	return strings.Join(parts, "; ")
}
