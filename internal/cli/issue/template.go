package issue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/core/issuefile"
	"warp/internal/core/text"
)

// defaultTemplate is the name of the template that warp has itself.
const defaultTemplate = "default"

// builtIn is that template. Its comments are for who fills it in.
const builtIn = `<!-- What is wanted, and why: a sentence or two. -->

## Acceptance criteria

<!-- One box for each thing that can be seen when it is done. Replace the example. -->
- [ ] <!-- an empty file prints an error and exits with 1 -->
`

// templateFolders are where a project has its templates; the first that has one counts.
var templateFolders = []string{".claude/templates", ".github/ISSUE_TEMPLATE"}

// template reads the text of a template by its name: a file of the project, without .md,
// or the one that is built in.
func template(root, name string) (string, error) {
	if name == "" {
		name = defaultTemplate
	}
	names := []string{defaultTemplate}
	for _, folder := range templateFolders {
		files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.md")) // the pattern is ours
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
			if parts, err := issuefile.Split(string(all)); err == nil { // what GitHub reads at its beginning is no text
				return strings.TrimLeft(parts.Body, "\n"), nil
			}
			return string(all), nil
		}
	}
	if name == defaultTemplate {
		return builtIn, nil
	}
	return "", &app.UsageError{Err: fmt.Errorf("there is no template %q; there are %s%s", text.VisibleLine(name), strings.Join(names, ", "), text.DidYouMean(name, names))}
}

// withoutHints takes the comments of a template out of what was made of it.
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
