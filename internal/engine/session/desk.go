package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/session"
)

// An agent writes its output at a desk outside of the project, from where it is
// fetched when the agent has answered: Claude Code, for one, writes nothing below
// .claude.

// outputAt is the file on a desk.
func (b *iterating) outputAt(desk string) string {
	return filepath.Join(desk, session.Dir(b.Name), filepath.Base(b.folder(b.unit)), "output.md")
}

// sit gives the agent a desk, with the output so far on it, if its prompt speaks
// of one.
func (b *iterating) sit(m *opening) error {
	if !strings.Contains(b.units[b.unit].stage.Prompt, "${OUTPUT}") {
		return nil
	}
	if _, err := os.Stat(m.Desk); m.Desk != "" && err == nil {
		return nil // it was at work before
	}
	desk, err := os.MkdirTemp("", "warp-desk-")
	if err != nil {
		return err
	}
	file := b.outputAt(desk)
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if text, none := os.ReadFile(b.outputFile(b.unit)); err == nil && none == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	m.Desk = desk
	return err
}

// fetch takes the output from the desk. What was not touched there is left as it
// is here: an agent may write here as well.
func (b *iterating) fetch(m opening) error {
	if m.Desk == "" {
		return nil
	}
	file := b.outputAt(m.Desk)
	if st, err := os.Lstat(file); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil || sum(text) == m.Output {
		return err
	}
	return errors.Join(os.MkdirAll(b.folder(b.unit), 0o755), os.WriteFile(b.outputFile(b.unit), []byte(b.Redact(string(text))), 0o644))
}

// leaveDesk takes it away.
func (m opening) leaveDesk() {
	if m.Desk != "" {
		_ = os.RemoveAll(m.Desk) // else the system cleans up such folders
	}
}
