package drive

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/step"
)

// decision is what an agent wants a person to decide; nil: nothing.
func decision(a step.Answer) *wanted {
	var said struct {
		Decision *wanted `json:"decision"`
	}
	if !a.Read(&said) || said.Decision == nil || said.Decision.Question == "" {
		return nil
	}
	return said.Decision
}

type wanted struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Default  string   `json:"default"`
}

// askForDecision puts the agent's question to a person. Without an answer a todo is
// filed and the chunk is given up for now: a run never waits for ever.
func (e *coder) askForDecision(ctx context.Context, s *drive.State, res step.Answer) (move, error) {
	d := decision(res)
	row := evidence.Decision{Issue: s.Issue(), Chunk: s.Chunk.Index, Question: e.Redact(d.Question), Default: e.Redact(d.Default)}
	for _, o := range d.Options {
		row.Options = append(row.Options, e.Redact(o))
	}
	if a, ok := e.askPerson(ctx, s, row); ok {
		row.Answer, row.By = a.Text, a.By
		e.ledger.keepRows(s, event.Decision, row)
		e.ledger.tell(Note{Kind: Asked, Text: row.Question + " → " + row.Answer})
		return move{}, nil // coding goes on with the answer in its prompt
	}
	if err := ctx.Err(); err != nil {
		return move{}, err
	}
	e.ledger.keepRows(s, event.Decision, row)
	e.ledger.passPoint("asked")
	e.ledger.tell(Note{Kind: Asked, Text: row.Question + " (nobody answered)"})
	return move{}, e.fileUnanswered(ctx, s, row)
}

// fileUnanswered files a question that nobody answered, and gives the chunk up.
func (e *coder) fileUnanswered(ctx context.Context, s *drive.State, row evidence.Decision) error {
	var who []string
	if s.Session.GitHubUser != "" {
		who = []string{s.Session.GitHubUser}
	}
	if err := e.filer.fileIssue(ctx, s, "todo", paged(evidence.Todo(e.filer.describeSubject(s), row)), []string{labelTodo, labelDrive}, questionMarker(s, row.Question), who...); err != nil {
		return err
	}
	return e.skipper.skipChunk(ctx, s, "a decision is needed: "+row.Question)
}

// questionMarker is the marker of a question, in whichever session it is asked:
// one that waits for an answer is not filed again.
func questionMarker(s *drive.State, question string) string {
	return fmt.Sprintf("<!-- warp-drive todo #%s %.6x -->", s.Issue(), sha256.Sum256([]byte(strings.ToLower(text.OneLine(question)))))
}

func (e *coder) askPerson(ctx context.Context, s *drive.State, d evidence.Decision) (Answer, bool) {
	if e.Ask == nil {
		return Answer{}, false
	}
	return e.Ask(ctx, Question{Issue: s.Issue(), Title: e.issue.Title, Chunk: s.Chunk.Index, Criteria: s.Present(), Text: d.Question, Options: d.Options, Default: d.Default,
		Context: fmt.Sprintf("chunk %d of %d", s.Chunk.Index, s.Chunk.Total)})
}

// setBoxes sets the boxes of the present issue.
func (e *filer) setBoxes(ctx context.Context, want func(id string, done bool) bool) error {
	return e.Tracker.Edit(ctx, e.issue.Number, func(body string) (string, error) {
		list, err := criteria.Parse(body)
		if err != nil {
			return body, err
		}
		next := body
		for _, c := range list {
			if is := want(c.ID, c.Done); is != c.Done {
				if next, err = criteria.Check(next, c.ID, is); err != nil {
					return body, err
				}
			}
		}
		return next, nil
	})
}

// takeLateAnswers takes what people have answered since the questions of a chunk
// were given up.
func (e *coder) takeLateAnswers(s *drive.State) {
	if e.Late == nil || attempts(e.ledger.page(s), s) > 0 {
		return
	}
	late := e.Late(s.Issue(), s.Chunk.Index, s.Present())
	var rows []any
	for _, d := range late {
		rows = append(rows, evidence.Decision{Issue: s.Issue(), Chunk: s.Chunk.Index, Question: d.Question, Answer: d.Answer, By: d.By})
	}
	e.ledger.keepRows(s, event.Decision, rows...)
	for _, d := range late {
		e.ledger.tell(Note{Kind: Asked, Text: d.Question + " → " + d.Answer})
	}
}
