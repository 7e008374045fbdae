package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"warp/internal/core/sessionstate"
	"warp/internal/core/template"
	"warp/internal/durable"
)

// An agent writes its output at a desk outside of the project, from where it is
// fetched when the agent has answered: Claude Code, for one, writes nothing below
// .claude.

// desk is where the agent of an iteration leaves what it has to say.
type desk struct {
	folder string // "": there is none
	redact func(string) string
	remark func(format string, args ...any)
}

// desk is the one of an iteration.
func (b *iterating) desk(o opening) desk {
	d := desk{redact: b.run.Redact, remark: b.run.remark}
	if o.Desk != "" {
		d.folder = filepath.Join(o.Desk, sessionstate.Dir(b.run.Name), filepath.Base(b.unit.folder))
	}
	return d
}

func (d desk) path(file string) string { return filepath.Join(d.folder, file) }

// outputHash is a print of output.md, which may be all that an agent changes.
func (b *iterating) outputHash() string {
	text, err := durable.ReadPlain(b.unit.pathOf(outputFile))
	if err != nil {
		return ""
	}
	return sum(text)
}

// setUpDesk gives the agent a desk, with the output so far on it, if its prompt speaks
// of one. What an earlier try said of itself is not said by this one.
func (b *iterating) setUpDesk(o *opening) error {
	if !template.Uses(b.unit.stage.Prompt, "OUTPUT", "STATUS", "RESULT", "CTX") {
		return nil
	}
	if _, err := os.Stat(o.Desk); o.Desk != "" && err == nil { // it was at work before
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

// collectOutput takes the output from the desk. What was not touched there is left as it
// is here: an agent may write here as well.
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

// publishOutput puts the output where the stage wants it in the project, too, and says where:
// a path from the top of the work tree. No link leads it out of the project.
func (b *iterating) publishOutput(ctx context.Context, it Iteration) (written string, err error) {
	text, err := durable.ReadPlain(b.unit.pathOf(outputFile))
	if b.unit.stage.OutputPath == "" || os.IsNotExist(err) {
		return "", nil
	}
	vars := b.run.vars(b.unit, b.dir)
	vars["ITERATION"] = strconv.Itoa(it.Number)
	to := path.Clean(template.Render(b.unit.stage.OutputPath, vars))
	root, err2 := os.OpenRoot(b.dir)
	if err := errors.Join(err, err2); err != nil {
		return "", err
	}
	defer root.Close()
	if err = root.MkdirAll(path.Dir(to), 0o755); err == nil {
		err = root.WriteFile(to, text, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("copying the output of stage %s to %s: %w", b.unit.name, to, err)
	}
	if g := b.taker.Guard; g != nil { // it is the session's work, not a person's
		if err := g.Settle(ctx); err != nil {
			return "", err
		}
		if rel, err := filepath.Rel(g.Work.Top(), filepath.Join(b.dir, filepath.FromSlash(to))); err == nil {
			to = filepath.ToSlash(rel)
		}
	}
	return to, nil
}
