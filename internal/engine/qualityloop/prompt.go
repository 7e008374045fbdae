package qualityloop

import (
	"embed"
	"fmt"
	"strings"
	"text/template"

	"warp/internal/core/untrusted"
	"warp/internal/core/workqueue"
)

//go:embed *.tmpl
var prompts embed.FS

// brief is what the prompts tell.
type brief struct {
	Task, Progress string
	Finished       string // what was found before and is done, for an assessment
	Items          []workqueue.Item
	Another        string // why another approach is to be taken
	Checks         []Gate
	Again          bool // it was begun before
}

// prompt fills the template of a phase.
func (b brief) prompt(phase workqueue.Phase) (string, error) {
	fence := func(text string) string { return strings.TrimSuffix(untrusted.Fence(text), "\n") }
	funcs := template.FuncMap{"fence": fence, "line": untrusted.Line, "about": about, "isGate": workqueue.IsGate}
	all, err := template.New("").Funcs(funcs).ParseFS(prompts, "*.tmpl")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := all.ExecuteTemplate(&text, strings.ToLower(string(phase))+".tmpl", b); err != nil {
		return "", fmt.Errorf("writing a prompt: %w", err)
	}
	return text.String(), nil
}

// about is what is known of an item.
func about(it workqueue.Item) string {
	text := it.Title
	if it.Description != "" {
		text += "\n\n" + it.Description
	}
	if len(it.Files) > 0 {
		text += "\n\nFiles: " + strings.Join(it.Files, ", ")
	}
	return text
}

// shownDone is how many finished items an assessment is told of.
const shownDone = 30

// finished are the titles of what was done last.
func finished(q *workqueue.Queue) string {
	var titles []string
	for _, it := range q.Items {
		if it.Status == workqueue.Done && !workqueue.IsGate(it.Source) {
			titles = append(titles, it.Title)
		}
	}
	return strings.Join(titles[max(0, len(titles)-shownDone):], "\n")
}
