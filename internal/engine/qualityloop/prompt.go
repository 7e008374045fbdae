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

// shownDone is how many finished items an assessment is told of.
const shownDone = 30

// brief is what the prompts tell.
type brief struct {
	Task, Progress string
	Finished       []string // what was found before and is done, for an assessment
	Items          []workqueue.Item
	Another        string // why another approach is to be taken
	Checks         []Gate
	Again          bool // it was begun before
}

// prompt fills the template of a phase.
func (b brief) prompt(phase workqueue.Phase) (string, error) {
	fence := func(text string) string { return strings.TrimSuffix(untrusted.Fence(text), "\n") }
	lines := func(list []string) string { return strings.Join(list, "\n") }
	funcs := template.FuncMap{"fence": fence, "line": untrusted.Line, "lines": lines, "isGate": workqueue.IsGate}
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
