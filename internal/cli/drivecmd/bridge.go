package drivecmd

import (
	"context"
	"slices"

	"warp/internal/cli/people"
	"warp/internal/core/drivestate"
	"warp/internal/core/questions"
	"warp/internal/core/text"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
)

// connect opens the ways to people.
func (w *workshop) connect(ctx context.Context) (err error) {
	trouble := func(text string) { w.view.Note(drive.Note{At: w.app.Env.Now(), Kind: drive.Remark, Text: text}) }
	w.people, err = people.Connect(ctx, w.app, w.drive, people.Options{Machine: w.o.json, Hold: w.view.Hold, Trouble: trouble})
	return err
}

// close ends what connect began.
func (w *workshop) close() {
	if w.people != nil {
		w.people.Close()
	}
	w.view.Close()
}

// asker puts an engine's questions to people.
func (w *workshop) asker(d *turnstile.Drive) func(context.Context, drive.Question) (drive.Answer, bool) {
	return func(ctx context.Context, q drive.Question) (drive.Answer, bool) {
		it, ok, err := w.people.Ask(ctx, questions.Question{By: questions.Engine, Issue: q.Issue, Title: q.Title, Chunk: q.Chunk, Criteria: q.Criteria,
			Text: q.Text, Context: q.Context, Options: q.Options, Default: q.Default, Root: d.Root()})
		if err != nil {
			w.app.Notes([]string{err.Error()})
		}
		return drive.Answer{Text: it.Answer, By: it.AnsweredBy, ID: it.ID}, ok && err == nil
	}
}

// lateAnswers are the answers that came after a question was given up.
func (w *workshop) lateAnswers(issue string, chunk int, criteria []string) (list []drive.Decided) {
	items, err := w.people.Desk.Late(issue, chunk, criteria...)
	if err != nil {
		w.app.Notes([]string{err.Error()})
	}
	for _, it := range items {
		list = append(list, drive.Decided{Question: it.Question, Answer: it.Answer, By: it.AnsweredBy})
	}
	return list
}

// settleQuestion answers a question of the inbox that was answered in the tracker.
func (w *workshop) settleQuestion(issue string, d drive.Decided) {
	pending, err := w.people.Desk.Pending()
	for _, it := range pending {
		if it.Issue == issue && it.Question == d.Question && err == nil {
			_, err = w.people.Desk.Answer(it.ID, questions.InOwnWords(d.Answer), d.By)
		}
	}
	if err != nil {
		w.app.Notes([]string{err.Error()})
	}
}

// tell shows a note, and sends what people who are away want to know.
func (w *workshop) tell(n drive.Note) {
	if w.conductor != nil && n.Kind != drive.Remark { // the worker is told what is done by the engine
		return
	}
	w.view.Note(n)
	w.showDoing(n)
	if m, ok := message(n, w.settings.Heartbeat); ok && w.people != nil && !w.endsWithAccount(n) {
		w.people.Tell(m)
	}
}

// endsWithAccount tells whether a note is the end of one session of a night of several
// issues: the account is the end of them all. A night that began by resuming a drive may
// have several, too.
func (w *workshop) endsWithAccount(n drive.Note) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n.Kind == drive.Ended && n.Outcome != nil && n.Outcome.Issue != "" && !slices.Contains(w.ended, n.Outcome.Issue) {
		w.ended = append(w.ended, n.Outcome.Issue)
	}
	return n.Kind == drive.Phased && n.Phase == drivestate.SessionEnding && (w.several || len(w.ended) > 1)
}

// message is what people are told of a note; false: nothing.
func message(n drive.Note, commits bool) (notify.Message, bool) {
	m := notify.Message{Issue: n.Issue, Chunk: n.Chunk}
	switch {
	case n.Kind == drive.Phased && n.Phase == drivestate.SessionEnding:
		m.Kind, m.Text = notify.End, notify.EndText(n.Commits, n.Chunks)
	case n.Kind == drive.Phased:
		m.Kind, m.Text = notify.Phase, notify.PhaseText(string(n.Phase), n.Chunk, n.Total, n.Issue)
	case n.Kind == drive.Committed && commits:
		m.Kind, m.Text = notify.Commit, notify.Prefix+"committed "+text.Hash(n.Hash)+" "+n.Text
	case n.Kind == drive.Skipped || n.Kind == drive.Intervened:
		m.Kind, m.Text = notify.Remark, notify.Prefix+n.Text
	case n.Kind == drive.Ended && n.Outcome != nil && n.Outcome.Issue != "":
		m = notify.Outcome(*n.Outcome, n.Spent)
	}
	return m, m.Kind != ""
}
