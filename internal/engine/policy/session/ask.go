package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/questions"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/engine/step"
)

// People are asked what agents ask.
type People interface {
	// Ask asks a person, and waits as the settings say; false: there is no answer, and no default.
	Ask(ctx context.Context, q questions.Question) (questions.Item, bool, error)
	// Answers returns what was decided about the questions of a session since a time.
	Answers(work, root string, since time.Time) ([]questions.Item, error)
}

const maxWords = 600 // of an agent's last words in a question, in characters

// questionIn returns what an agent asks a person, or nil: a decision or, if it twice changed nothing
// and did not say why, its last words.
func questionIn(a step.Answer) *questions.Question {
	var said struct {
		Decision struct {
			Question string   `json:"question"`
			Options  []string `json:"options"`
			Default  string   `json:"default"`
		} `json:"decision"`
	}
	switch {
	case a.Read(&said) && said.Decision.Question != "":
		return &questions.Question{Text: said.Decision.Question, Options: said.Decision.Options, Default: said.Decision.Default}
	case a.Unread == step.Idle:
		words := text.OneLine(text.Tail(strings.TrimSpace(a.Text), maxWords))
		if words == "" {
			return &questions.Question{Text: "The agent changed nothing, and said nothing of it"}
		}
		return &questions.Question{Text: "The agent changed nothing, and ended with: " + words}
	}
	return nil
}

// askPerson asks a person an agent's question. With an answer, or with the question's default, the next
// iteration's prompt has it; without, the unit ends until the session is resumed.
func askPerson(ctx context.Context, b *iterating, it Iteration, q *questions.Question, out *Outcome) error {
	r := b.run
	q.By, q.Work, q.Root = questions.Engine, "session "+r.Name, r.Root
	q.Text, q.Default = r.Redact(q.Text), r.Redact(q.Default)
	for i, o := range q.Options {
		q.Options[i] = r.Redact(o)
	}
	if r.People != nil {
		known := decisions(r)
		got, ok, err := r.People.Ask(ctx, *q)
		if err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		if again := slices.ContainsFunc(known, func(d questions.Item) bool { return d.Question == q.Text && d.Answer == got.Answer }); ok && !again {
			r.remark("iteration %d asks: %s → %s (%s)", it.Number, q.Text, got.Answer, got.AnsweredBy)
			return nil
		}
	}
	asks := q.Text
	if len(q.Options) > 0 {
		asks += " (" + strings.Join(q.Options, ", ") + ")"
	}
	out.Stop = &sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonQuestion,
		Why: fmt.Sprintf("an agent asks: %s; warp inbox has the question, and after the answer warp sessions resume %s goes on", asks, r.Name)}
	return nil
}

// decisions returns what was decided about the session's questions.
func decisions(r *run) []questions.Item {
	if r.People == nil {
		return nil
	}
	began, _ := time.Parse(time.RFC3339Nano, r.doc.Now().StartedAt) // zero if damaged: then of any time
	list, err := r.People.Answers("session "+r.Name, r.Root, began)
	if err != nil {
		r.remark("the answers to questions cannot be read: %v", err)
	}
	return list
}

// decided returns what was decided, for a prompt.
func decided(r *run) string {
	var lines []string
	for _, d := range decisions(r) {
		lines = append(lines, d.Question+" → "+d.Answer)
	}
	return strings.Join(lines, "\n")
}
