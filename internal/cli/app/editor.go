package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// EditorCommand returns the user's editor; "" if none is set.
func EditorCommand(a *App) string { return cmp.Or(a.Getenv("VISUAL"), a.Getenv("EDITOR")) }

// Draft is an edited text and its file, which stays until the caller discards it: no text is lost.
type Draft struct {
	Path string
	Text string
}

// OpenDraft lets a person edit a text in a file of this name. instead says what to do without an
// editor.
func OpenDraft(ctx context.Context, a *App, name, text, instead string) (Draft, error) {
	editor := EditorCommand(a)
	if editor == "" {
		return Draft{}, &UsageError{Err: errors.New("no editor is set: set EDITOR (export EDITOR=nano), or " + instead)}
	}
	dir, err := os.MkdirTemp("", "warp-edit-")
	if err != nil {
		return Draft{}, fmt.Errorf("making a file to edit: %w", err)
	}
	d := Draft{Path: filepath.Join(dir, name), Text: text}
	if err := durable.WriteFile(d.Path, []byte(text), 0o600); err != nil {
		return d, fmt.Errorf("making a file to edit: %w", err)
	}
	if err := proc.Foreground(ctx, []string{"sh", "-c", editor + ` "$1"`, "sh", d.Path}); err != nil {
		return d, fmt.Errorf("the editor (%s) failed: %w", editor, err)
	}
	after, err := os.ReadFile(d.Path)
	if err != nil {
		return d, fmt.Errorf("reading what was written: %w", err)
	}
	d.Text = string(after)
	return d, nil
}

// Discard removes the file.
func (d Draft) Discard() error { return durable.RemoveFolder(filepath.Dir(d.Path)) }
