package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// An agent writes its output to a desk outside the project, from where it is collected after the
// agent has answered: some agents, such as Claude Code, write nothing below .claude.

// desk is the folder where an iteration's agent leaves its output and status.
type desk struct {
	folder string // "": no desk
	redact func(string) string
	remark func(format string, args ...any)
}

// desk returns an iteration's desk.
func (b *iterating) desk(o opening) desk {
	d := desk{redact: b.run.Redact, remark: b.run.remark}
	if o.Desk != "" {
		d.folder = filepath.Join(o.Desk, sessionstate.Dir(b.run.Name), filepath.Base(b.unit.folder))
	}
	return d
}

func (d desk) path(file string) string { return filepath.Join(d.folder, file) }

// outputHash returns a hash of output.md, which may be all that an agent changes.
func (b *iterating) outputHash() string {
	text, err := durable.ReadPlain(b.unit.pathOf(outputFile))
	if err != nil {
		return ""
	}
	return sum(text)
}

// setUpDesk creates the agent's desk with the output so far on it, if the prompt uses one. The
// status of an earlier try is removed.
func (b *iterating) setUpDesk(o *opening) error {
	if !text.UsesVariable(b.unit.stage.Prompt, "OUTPUT", "STATUS", "RESULT", "CTX") {
		return nil
	}
	if _, err := os.Stat(o.Desk); o.Desk != "" && err == nil { // left by an earlier try
		for _, file := range []string{statusFile, resultFile} {
			if err := durable.RemoveFolder(b.desk(*o).path(file)); err != nil {
				return err
			}
		}
		return nil
	}
	folder, err := os.MkdirTemp("", "warp-desk-")
	if err != nil {
		return err
	}
	o.Desk = folder
	file := b.desk(*o).path(outputFile)
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if text, none := durable.ReadPlain(b.unit.pathOf(outputFile)); err == nil && none == nil {
		err = durable.WriteNote(file, text)
	}
	return err
}

// collectOutput takes the output from the desk. If it is unchanged there, the unit's own file is
// kept: an agent may write that directly.
func (b *iterating) collectOutput(o opening) error {
	file := b.desk(o).path(outputFile)
	if st, err := os.Lstat(file); o.Desk == "" || err != nil || !st.Mode().IsRegular() {
		return nil
	}
	text, err := durable.ReadPlain(file)
	if err != nil || sum(text) == o.Output {
		return err
	}
	to := b.unit.pathOf(outputFile)
	return durable.WriteFile(to, []byte(b.run.Redact(string(text))), 0o644)
}

// publishOutput copies the output to where the stage wants it in the project, and returns that path
// from the top of the work tree. Links cannot lead it out of the project.
func (b *iterating) publishOutput(ctx context.Context, it Iteration) (written string, err error) {
	output, err := durable.ReadPlain(b.unit.pathOf(outputFile))
	if b.unit.stage.OutputPath == "" || os.IsNotExist(err) {
		return "", nil
	}
	vars := b.run.vars(b.unit, b.dir)
	vars["ITERATION"] = strconv.Itoa(it.Number)
	to := path.Clean(text.Render(b.unit.stage.OutputPath, vars))
	root, err2 := os.OpenRoot(b.dir)
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	defer root.Close()
	if err = root.MkdirAll(path.Dir(to), 0o755); err == nil {
		err = root.WriteFile(to, output, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("copying the output of stage %s to %s: %w", b.unit.name, to, err)
	}
	if g := b.taker.Guard; g != nil { // the session's work, not a person's
		if err := g.Settle(ctx); err != nil {
			return "", err
		}
		to = path.Join(g.Work.Root().Folder(), to)
	}
	return to, nil
}

// status is what an agent wrote about its iteration instead of returning a result: to the file of
// ${STATUS}, or of ${RESULT} in the prompt of a stage folder.
type status struct {
	Decision string `json:"decision"` // continue, stop, error
	Reason   string `json:"reason"`
	Summary  string `json:"summary"`
	Work     struct {
		Items []any `json:"items_completed"`
	} `json:"work"`
	Errors []any `json:"errors"`
}

// mostStatus bounds how much of the file is read: an agent may write anything there.
const mostStatus = 64 << 10

// readStatus reads the agent's status file; nil if none is readable. The result file takes
// precedence.
func (d desk) readStatus() *status {
	for _, file := range []string{resultFile, statusFile} {
		if d.folder == "" {
			break
		}
		said, err := d.readJSON(d.path(file))
		switch {
		case os.IsNotExist(err):
		case err != nil:
			d.remark("ignoring what the agent wrote to %s: %v", file, err)
		default:
			return said
		}
	}
	return nil
}

func (d desk) readJSON(path string) (*status, error) {
	if st, err := os.Lstat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, durable.ErrOdd
	}
	f, err := durable.OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostStatus+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > mostStatus {
		return nil, fmt.Errorf("it is larger than %d kB", mostStatus>>10)
	}
	var s status
	if err := json.Unmarshal([]byte(d.redact(string(raw))), &s); err != nil {
		return nil, err
	}
	s.Decision = strings.ToLower(strings.TrimSpace(s.Decision))
	return &s, nil
}

// stops reports whether the agent found nothing left to do. Its output then is its last word, not a
// change.
func (s *status) stops() bool { return s != nil && s.Decision == "stop" }

// apply uses the written status as the answer's missing result.
func (s *status) apply(a step.Answer) step.Answer {
	if s == nil || a.End != agent.Done {
		return a
	}
	if s.Decision == "error" {
		why := append([]string{orNoAnswer(s.Reason, s.Summary)}, toTexts(s.Errors)...)
		a.End, a.Why = agent.Crashed, text.Opening("it reported an error: "+strings.Join(why, "; "))
		return a
	}
	said, err := json.Marshal(Report{Summary: orNoAnswer(s.Summary, s.Reason), Reasoning: s.Reason, Plateau: s.stops(), Done: toTexts(s.Work.Items)})
	if err == nil { // marshalling texts cannot fail
		a.Result, a.Invalid = said, ""
	}
	return a
}

// toTexts converts a list in which an agent may have put anything.
func toTexts(list []any) (all []string) {
	for _, w := range list {
		if said, ok := w.(string); ok {
			all = append(all, said)
			continue
		}
		if raw, err := json.Marshal(w); err == nil {
			all = append(all, string(raw))
		}
	}
	return all
}
