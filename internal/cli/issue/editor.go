package issue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/cli/editor"
	"warp/internal/ui/render"
)

// Attended reports whether a person is at the terminal, to be asked.
func Attended(a *app.App) bool {
	in, ok := a.In.(*os.File)
	return ok && render.IsTerminal(in) && render.IsTerminal(os.Stdout)
}

// errCancelled says that the text in the editor was left as it was, or emptied.
var errCancelled = errors.New("nothing was filed: the text was left empty or unchanged")

// written is an issue as it was written in an editor.
type written struct {
	title, body string
	draft       editor.Draft // for when filing it fails
}

// compose has a person write an issue in the editor. The first line is its title.
func compose(ctx context.Context, a *app.App, title, template string) (w written, err error) {
	before := "# " + cmp.Or(title, "<!-- the title -->") + "\n\n" + template
	if w.draft, err = editor.Open(ctx, a, "issue.md", before, "give the text with --body or --body-file"); err != nil {
		if w.draft.Path != "" {
			err = w.keep(err)
		}
		return w, err
	}
	text := strings.ReplaceAll(w.draft.Text, "\r\n", "\n")
	if strings.TrimSpace(text) == "" || strings.TrimSpace(text) == strings.TrimSpace(before) {
		return w, errors.Join(errCancelled, w.draft.Discard())
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
	return fmt.Errorf("%w; nothing was filed, your text is in %[2]s: warp issue new --title … --body-file %[2]s", err, w.draft.Path)
}
