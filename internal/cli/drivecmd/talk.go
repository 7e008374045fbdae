package drivecmd

import (
	"context"
	"slices"
	"sync"

	"warp/internal/cli/app"
	"warp/internal/cli/people"
	"warp/internal/core/drivestate"
	"warp/internal/core/nightreport"
	"warp/internal/core/questions"
	"warp/internal/core/text"
	"warp/internal/engine/mind"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
	"warp/internal/ui/live"
)

// talk carries the output and questions of one command's drives: to the terminal, to people who
// are away, and to the session that plans and codes.
type talk struct {
	app       *app.App
	view      *live.View
	heartbeat bool         // notify people of commits
	conducted bool         // the engine reports progress to the worker
	mind      *mind.Mind   // nil if agents do everything
	line      *people.Line // nil until connected
	several   bool         // several issues: one account ends them all

	once []string // remarks that are shown once: each engine reads the settings many times

	mu    sync.Mutex
	ended []string // the night's finished issues
	shown []string // of once
}

// connect opens the channels to people; close closes them.
func (t *talk) connect(ctx context.Context, d *turnstile.Drive, machine bool) (err error) {
	t.line, err = people.Connect(ctx, t.app, d, people.Options{Machine: machine, Hold: t.view.Hold, Trouble: t.remark})
	return err
}

func (t *talk) close() {
	if t.line != nil {
		t.line.Close()
		t.line = nil
	}
	t.view.Close()
}

func (t *talk) remark(text string) {
	t.view.Note(drive.Note{At: t.app.Env.Now(), Kind: drive.Remark, Text: text})
}

func (t *talk) noteError(err error) {
	if err != nil {
		t.app.Note("%v", err)
	}
}

// people returns the callbacks with which a work tree's engine reaches people.
func (t *talk) people(d *turnstile.Drive) drive.People {
	return drive.People{Late: t.lateAnswers, Settle: t.settleQuestion, Withdraw: t.withdrawQuestions, Ask: func(ctx context.Context, q drive.Question) (drive.Answer, bool) {
		it, ok, err := t.line.Ask(ctx, questions.Question{By: questions.Engine, Issue: q.Issue, Title: q.Title, Chunk: q.Chunk, Criteria: q.Criteria,
			Text: q.Text, Context: q.Context, Options: q.Options, Default: q.Default, Root: d.Root()})
		t.noteError(err)
		return drive.Answer{Text: it.Answer, By: it.AnsweredBy, ID: it.ID}, ok && err == nil
	}}
}

// lateAnswers returns the answers that came after a question was given up.
func (t *talk) lateAnswers(issue string, chunk int, criteria []string) (list []drive.Decided) {
	items, err := t.line.Desk.Late(issue, chunk, criteria...)
	t.noteError(err)
	for _, it := range items {
		list = append(list, drive.Decided{Question: it.Question, Answer: it.Answer, By: it.AnsweredBy})
	}
	return list
}

// settleQuestion answers the inbox question that was answered in the tracker.
func (t *talk) settleQuestion(issue string, d drive.Decided) {
	pending, err := t.line.Desk.Pending()
	for _, it := range pending {
		if it.Issue == issue && it.Question == d.Question && err == nil {
			_, err = t.line.Desk.Answer(it.ID, questions.InOwnWords(d.Answer), d.By)
		}
	}
	t.noteError(err)
}

func (t *talk) withdrawQuestions(issue string, over func(chunk int, criteria []string) bool) {
	t.noteError(t.line.Desk.Withdraw(func(it questions.Item) bool { return it.Issue == issue && over(it.Chunk, it.Criteria) }))
}

// openQuestions returns the questions that wait for a person.
func (t *talk) openQuestions() (list []nightreport.Question) {
	pending, err := t.line.Desk.Pending()
	t.noteError(err)
	for _, it := range pending {
		q := nightreport.Question{ID: it.ID, Issue: it.Issue, Text: it.Question}
		if it.Defaulted != "" {
			q.Taken = it.Default
		}
		list = append(list, q)
	}
	return list
}

// tell shows a note, and sends it to people who are away if they want it.
func (t *talk) tell(n drive.Note) {
	if t.conducted && n.Kind != drive.Remark || n.Kind == drive.Remark && t.wasShown(n.Text) {
		return
	}
	t.view.Note(n)
	if t.mind != nil {
		showDoing(t.mind, n)
	}
	if m, ok := message(n, t.heartbeat); ok && t.line != nil && !t.endsWithAccount(n) {
		t.line.Tell(m)
	}
}

// wasShown reports whether a remark is one that is shown once, and was.
func (t *talk) wasShown(remark string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.once, remark) {
		return false
	}
	if slices.Contains(t.shown, remark) {
		return true
	}
	t.shown = append(t.shown, remark)
	return false
}

// endsWithAccount reports whether the account replaces this note, because it ends one of several
// issues in a night. A night that began by resuming a drive may have several, too.
func (t *talk) endsWithAccount(n drive.Note) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.Kind == drive.Ended && n.Outcome != nil && n.Outcome.Issue != "" && !slices.Contains(t.ended, n.Outcome.Issue) {
		t.ended = append(t.ended, n.Outcome.Issue)
	}
	return n.Kind == drive.Phased && n.Phase == drivestate.SessionEnding && (t.several || len(t.ended) > 1)
}

// message returns the notification for a note; false if it needs none.
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
