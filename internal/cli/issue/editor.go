package issue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/ui/render"
)

// Attended reports whether a person is at the terminal, to be asked.
func Attended(a *app.App) bool {
	in, ok := a.In.(*os.File)
	return ok && render.IsTerminal(in) && render.IsTerminal(os.Stdout)
}

// Editor is the editor of the user's choice; "": none is set.
func Editor(a *app.App) string { return cmp.Or(a.Getenv("VISUAL"), a.Getenv("EDITOR")) }

// errCancelled says that the text in the editor was left as it was, or emptied.
var errCancelled = errors.New("nothing was filed: the text was left empty or unchanged")

// written is an issue as it was written in an editor.
type written struct {
	title, body string
	draft       string // the folder of the file, for when filing it fails
}

// compose has a person write an issue in the editor. The first line is its title.
func compose(ctx context.Context, a *app.App, title, template string) (written, error) {
	editor := Editor(a)
	if editor == "" {
		return written{}, &app.UsageError{Err: errors.New("no editor is set: set EDITOR (export EDITOR=nano), or give the text with --body or --body-file")}
	}
	dir, err := os.MkdirTemp("", "warp-issue-")
	if err != nil {
		return written{}, fmt.Errorf("making a file to edit: %w", err)
	}
	w := written{draft: filepath.Join(dir, "issue.md")}
	before := "# " + cmp.Or(title, "<!-- the title -->") + "\n\n" + template
	if err := durable.WriteFile(w.draft, []byte(before), 0o600); err != nil {
		return w, fmt.Errorf("making a file to edit: %w", err)
	}
	if err := proc.Foreground(ctx, []string{"sh", "-c", editor + ` "$1"`, "sh", w.draft}); err != nil {
		return w, w.keep(fmt.Errorf("the editor (%s) failed: %w", editor, err))
	}
	after, err := os.ReadFile(w.draft)
	if err != nil {
		return w, fmt.Errorf("reading what was written: %w", err)
	}
	text := strings.ReplaceAll(string(after), "\r\n", "\n")
	if strings.TrimSpace(text) == "" || strings.TrimSpace(text) == strings.TrimSpace(before) {
		return w, errors.Join(errCancelled, w.discard())
	}
	text = withoutHints(text, before)
	first, rest, _ := strings.Cut(text, "\n")
	if heading, ok := strings.CutPrefix(first, "#"); ok && !strings.HasPrefix(heading, "#") {
		title, text = strings.TrimSpace(heading), rest
	}
	if w.title, w.body = title, strings.TrimLeft(text, "\n"); w.title == "" {
		return w, w.keep(errors.New("the title is missing: write it on the first line, after #"))
	}
	return w, nil
}

// keep says where the text is, when it could not be filed.
func (w written) keep(err error) error {
	return fmt.Errorf("%w; nothing was filed, your text is in %s: warp issue new --title … --body-file %s", err, w.draft, w.draft)
}

// discard removes the file.
func (w written) discard() error { return durable.RemoveFolder(filepath.Dir(w.draft)) }
