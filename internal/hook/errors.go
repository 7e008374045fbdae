package hook

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/questions"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/hook/logbook"
	"warp/internal/turnstile"
)

// classifyFailure records a failed call if it is an error (a failing test is none) and applies the
// policy of its class: it advises the agent whether and when to retry, queues what cannot be
// retried as work, and takes errors that no one understands to a person.
func classifyFailure(c *call, b logbook.Book) error {
	class, isError := errorclass.Classify(c.Tool, c.Error, c.Interrupt)
	if !isError {
		return nil
	}
	now := c.env.System.Now()
	e, unknown, err := b.RecordFailure(telemetry.Failure{
		ID:      "error-" + cmp.Or(c.ToolUse, event.Sum([]byte(c.callKey()+event.Stamp(now)))), // not every agent gives its calls an id
		Session: c.Session, Key: c.failureKey(), Class: class,
		Tool: c.Tool, Message: c.env.Redact(c.Error), Context: describeFailure(&c.hookPayload, c.env.Redact),
	})
	if err != nil {
		return err
	}
	item := ""
	if e.Status == telemetry.Queued {
		item, err = enqueueError(&c.drive.Project, e)
	}
	c.answer.tell("this call failed. " + e.Advice(item, now))
	c.answer.inform(e.Notice(item, now))
	if len(unknown) > 0 && err == nil {
		err = c.askAboutErrors(unknown)
	}
	return err
}

// enqueueError adds an error to the work queue and returns how to name the item. A running loop
// finds it with its next step.
func enqueueError(project *turnstile.Project, e telemetry.Entry) (told string, err error) {
	var outcome workqueue.Outcome
	err = editQueue(project, "error", e.Session, func(q *workqueue.Queue) bool {
		var it *workqueue.Item
		if it, outcome = q.Add(workqueue.FromEntry(e)); it != nil {
			told = fmt.Sprintf("%s (%s)", it.ID, it.Priority)
		}
		return it != nil
	})
	if outcome == workqueue.Full {
		err = fmt.Errorf("the work queue is full: %s is not in it", e.ID)
	}
	return told, err
}

// editQueue writes the work queue if fn reports a change.
func editQueue(project *turnstile.Project, what, session string, fn func(*workqueue.Queue) bool) error {
	_, err := project.Queue().Update(func(tx *durable.Tx[workqueue.Queue]) error {
		if tx.Doc == nil {
			tx.Doc = &workqueue.Queue{Version: workqueue.Version}
		}
		if !fn(tx.Doc) {
			return durable.ErrUnchanged
		}
		tx.Log(what, map[string]string{"session": session})
		return nil
	})
	return err
}

// workVariable names the loop, pipeline or workflow that started the run of a hook.
const workVariable = "WARP_WORK"

// askAboutErrors asks a person about unknown errors. The session gets the answer as it gets those
// to its own questions.
func (c *call) askAboutErrors(unknown []telemetry.Entry) error {
	var list, short []string
	for _, e := range unknown {
		list = append(list, "- "+e.Tool+": "+text.Clip(text.OneLine(e.Message), 300))
		short = append(short, e.Tool+": "+text.Clip(text.OneLine(e.Message), 80))
	}
	row := fmt.Sprintf("%d unknown errors in a row in session %s", telemetry.EscalateUnknown, c.Session)
	q := questions.Question{
		By: questions.Agent, Session: c.Session, Root: c.drive.Root(), Work: c.env.Getenv(workVariable),
		Text:    fmt.Sprintf("%s (%s): should the agent continue, or stop and wait for you?", row, strings.Join(slices.Compact(short), "; ")),
		Context: strings.Join(list, "\n"),
		Options: []string{"continue", "stop and wait for me"}, Default: "continue",
	}
	if v, err := c.sight.viewOwned(); q.Work == "" && err == nil && v != nil { // an unreadable drive withdraws nothing, either
		q.Issue, q.Chunk, q.Criteria = v.State.Issue(), v.State.Chunk.Index, v.State.Chunk.Present()
	}
	wait := time.Hour
	if cfg, err := c.drive.Project.Settings(); err == nil {
		wait = time.Duration(cfg.DecisionMinutes) * time.Minute
	}
	id := ""
	_, err := openInbox(c.drive).Update(func(tx *durable.Tx[questions.Book]) error {
		if tx.Doc == nil {
			tx.Doc = &questions.Book{}
		}
		for _, it := range tx.Doc.Pending() {
			if it.Root == q.Root && strings.HasPrefix(it.Question, row) {
				id = it.ID // one is enough
				return durable.ErrUnchanged
			}
		}
		it := tx.Doc.Ask(q, c.env.System.Now(), wait)
		id = it.ID
		tx.Log("asked", map[string]string{"id": it.ID, "question": it.Question})
		return nil
	})
	if err != nil && !errors.Is(err, durable.ErrUnchanged) {
		return err
	}
	c.answer.tell(fmt.Sprintf("%d unknown errors in a row: a person was asked about them (%s in the inbox). Nothing waits for the answer: step back, say what you were trying to do, and continue with the work; warp passes on the answer when it comes.", telemetry.EscalateUnknown, id))
	c.answer.inform(fmt.Sprintf("%d unknown errors in a row: %s in the inbox asks what to do (warp inbox)", telemetry.EscalateUnknown, id))
	return nil
}

// recordRecovery records that a failed call has succeeded, and closes its work item.
func recordRecovery(c *call, b logbook.Book) error {
	were, err := b.RecordRecovery(c.Session, c.callKey(), c.misspelledKey())
	for _, e := range were {
		if e.Status != telemetry.Queued {
			continue
		}
		if err := editQueue(&c.drive.Project, "recovered", c.Session, func(q *workqueue.Queue) bool { return q.Recovered(e.ID) }); err != nil {
			return err
		}
	}
	return err
}

// subjects lists the tool inputs that name what a call is about.
var subjects = []string{"command", "file_path", "notebook_path", "url", "pattern", "query", "path"}

// describeFailure returns what a failed call was about.
func describeFailure(p *hookPayload, redact func(string) string) *lossless.Value {
	var out []lossless.Member
	note := func(name, about string) {
		if about != "" {
			out = append(out, lossless.Member{Key: name, Value: lossless.NewString(text.Clip(redact(about), 300))})
		}
	}
	for _, name := range subjects {
		note(name, p.input(name))
	}
	note("operation", cmp.Or(p.input("description"), p.input("prompt"))) // a fetch has only a prompt
	return lossless.NewObject(out...)
}
