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
	"warp/internal/core/issuefile"
	"warp/internal/core/text"
	"warp/internal/ui/render"
)

// Attended reports whether a person is at the terminal.
func Attended(a *app.App) bool {
	in, ok := a.In.(*os.File)
	return ok && render.IsTerminal(in) && render.IsTerminal(os.Stdout)
}

// errCancelled means that the text was left unchanged or emptied in the editor.
var errCancelled = errors.New("nothing was filed: the text was left empty or unchanged")

type editedIssue struct {
	title, body string
	draft       app.Draft // kept in case filing fails
}

// compose lets a person write an issue in the editor. The first line is its title.
func compose(ctx context.Context, a *app.App, title, template string) (w editedIssue, err error) {
	before := "# " + cmp.Or(title, "<!-- the title -->") + "\n\n" + template
	if w.draft, err = app.OpenDraft(ctx, a, "issue.md", before, "give the text with --body or --body-file"); err != nil {
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

// keep adds to an error where the text is kept.
func (w editedIssue) keep(err error) error {
	return fmt.Errorf("%w; nothing was filed, your text is in %[2]s: warp issue new --title … --body-file %[2]s", err, w.draft.Path)
}

// defaultTemplate is the name of the built-in template.
const defaultTemplate = "default"

// builtInTemplate is the built-in template. Its comments are hints for the author.
const builtInTemplate = `<!-- What is wanted, and why: a sentence or two. -->

## Acceptance criteria

<!-- One box for each thing that can be seen when it is done. Replace the example. -->
- [ ] <!-- an empty file prints an error and exits with 1 -->
`

// templateFolders are where a project keeps its templates; the first match counts.
var templateFolders = []string{".claude/templates", ".github/ISSUE_TEMPLATE"}

// readTemplate returns the text of a template by name: a file of the project, without .md, or the
// built-in one.
func readTemplate(root, name string) (string, error) {
	if name == "" {
		name = defaultTemplate
	}
	names := []string{defaultTemplate}
	for _, folder := range templateFolders {
		files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.md")) // the pattern is valid
		for _, file := range files {
			is := strings.TrimSuffix(filepath.Base(file), ".md")
			names = append(names, is)
			if !strings.EqualFold(is, strings.TrimSuffix(name, ".md")) {
				continue
			}
			all, err := os.ReadFile(file)
			if err != nil {
				return "", fmt.Errorf("reading the template: %w", err)
			}
			if len(all) > maxText {
				return "", fmt.Errorf("reading the template %s: it is longer than a megabyte", name)
			}
			if parts, err := issuefile.Split(string(all)); err == nil { // drop GitHub's front matter
				return strings.TrimLeft(parts.Body, "\n"), nil
			}
			return string(all), nil
		}
	}
	if name == defaultTemplate {
		return builtInTemplate, nil
	}
	return "", app.WrongUsage("there is no template %q; there are %s%s", text.VisibleLine(name), strings.Join(names, ", "), text.DidYouMean(name, names))
}

func withoutHints(body, template string) string {
	for rest := template; ; {
		_, after, open := strings.Cut(rest, "<!--")
		hint, next, shut := strings.Cut(after, "-->")
		if !open || !shut {
			return strings.TrimSpace(body) + "\n"
		}
		hint = "<!--" + hint + "-->"
		body = strings.ReplaceAll(strings.ReplaceAll(body, "\n"+hint+"\n", "\n"), hint, "")
		rest = next
	}
}
