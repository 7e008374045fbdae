package workflow

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"time"

	"warp/internal/core/livestate"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

//go:embed texts.tmpl
var textFile string

// texts is parsed when the first text is needed: most commands need none.
var texts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("texts").Option("missingkey=error").Funcs(template.FuncMap{
		"hash":    text.Hash,
		"join":    strings.Join,
		"dollars": workflowstate.Dollars,
		"one":     func(name string) []string { return []string{name} },
		"cost":    workflowstate.CostText,
		"quote":   func(names []string) string { return text.Quote(names, 10) },
		"cell":    func(words string) string { return strings.ReplaceAll(words, "|", "\\|") },
	}).Parse(textFile))
})

// textValues holds the values of a template, by name.
type textValues map[string]any

// renderText renders a text of texts.tmpl.
func renderText(name string, about any) string {
	var b strings.Builder
	if err := texts().ExecuteTemplate(&b, name, about); err != nil {
		panic(err) // a template name without a value: tests render every text
	}
	return b.String()
}

// Plan renders a document's plan for people.
func Plan(d *taskdoc.Document) string { return renderText("plan", d) }

// Kinds of notes.
const (
	Began       = "began"
	Planned     = "plan" // the plan to approve
	Phased      = "phase"
	TaskBegan   = "task"
	Iterated    = "iteration"
	AgentAsked  = "agent"
	Said        = "said"
	Verified    = "verify"
	Supervised  = "supervisor"
	Learned     = "learning"
	Committed   = "commit"
	TaskEnded   = "task_done"
	Checkpoint  = "checkpoint"
	Milestoned  = "milestone"
	Warned      = "warning"
	Waiting     = "waiting" // an agent waits for something that ends without a person
	Paused      = "paused"
	Ended       = "end"
	Remark      = "note"
	Integrating = "merge"
	Intervened  = "intervened" // what an agent did was reverted
)

// Note is an event of a workflow, for people who watch it. Nothing depends on its being read.
type Note struct {
	At     time.Time    `json:"at"`
	Kind   string       `json:"kind"`
	Phase  int          `json:"phase"`
	Task   string       `json:"task,omitempty"`
	Agent  string       `json:"agent,omitempty"`
	Text   string       `json:"text,omitempty"`
	Passed *bool        `json:"passed,omitempty"`
	Said   *agent.Event `json:"said,omitempty"`
}

func (e *Engine) tell(n Note) {
	n.At = e.Now()
	e.live.Set(n.show)
	if e.Tell != nil {
		e.Tell(n)
	}
}

func (e *Engine) remark(format string, args ...any) {
	e.tell(Note{Kind: Remark, Text: fmt.Sprintf(format, args...)})
}

// pass marks a point after which something must not be done again.
func (e *Engine) pass(point string) {
	if e.Passed != nil {
		e.Passed(point)
	}
}

func (e *Engine) wait(ctx context.Context, until time.Time, why string) error {
	e.remark("waiting: %s", why)
	return proc.WaitUntil(ctx, until, e.Now)
}

// quiet are the kinds of notes that are shown where agents run, if at all.
var quiet = map[string]bool{AgentAsked: true, Said: true}

// show adds a note to the live state for other processes.
func (n Note) show(s *livestate.State) {
	if quiet[n.Kind] {
		return
	}
	if n.Kind == Phased || n.Kind == TaskBegan {
		s.Do(n.At, n.Text)
	}
	words := n.Text
	if n.Task != "" {
		words = n.Task + ": " + words
	}
	if n.Passed != nil {
		words = map[bool]string{true: "passed ", false: "failed "}[*n.Passed] + words
	}
	s.Say(n.At, n.Kind, words)
}
