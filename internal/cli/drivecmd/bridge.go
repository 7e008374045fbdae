package drivecmd

import (
	"context"
	"os"
	"time"

	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/rdb"
	"warp/internal/core/drivestate"
	"warp/internal/core/questions"
	"warp/internal/core/text"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
)

// connect opens the ways to people: the inbox, the terminal, and the bridge
// where remote mode is on.
func (w *workshop) connect(ctx context.Context) (err error) {
	if w.desk, err = inboxcmd.Desk(w.app, w.drive); err != nil {
		return err
	}
	if in, ok := w.person(); ok && !w.settings.Remote {
		w.desk.Hear.Terminal = (&inboxcmd.Terminal{In: in, Out: w.app.Out, Hold: w.view.Hold}).Ask
		w.asks = true
	}
	trouble := func(text string) { w.view.Note(drive.Note{At: w.app.Env.Now(), Kind: drive.Remark, Text: text}) }
	w.bridge, err = rdb.Bridge(w.app, w.drive, w.desk, rdb.Commands(w.app), trouble)
	if err != nil || w.bridge == nil {
		return err
	}
	w.asks = true
	w.bridge.Start(context.WithoutCancel(ctx))
	return nil
}

// person is the terminal of the one who started the drive, if there is one.
func (w *workshop) person() (*os.File, bool) {
	in, ok := w.app.In.(*os.File)
	if !ok || !w.app.Terminal || w.o.json {
		return nil, false
	}
	info, err := in.Stat()
	return in, err == nil && info.Mode()&os.ModeCharDevice != 0
}

// flushTime is how long the last messages are waited for.
const flushTime = 10 * time.Second

// close ends what connect began.
func (w *workshop) close() {
	if w.bridge != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		w.bridge.Flush(ctx)
		cancel()
		w.bridge.Stop()
	}
	w.view.Close()
}

// asker puts an engine's questions into the inbox. Where no person would see them in
// time they are not waited for: an answer counts when it comes.
func (w *workshop) asker(d *turnstile.Drive) func(context.Context, drive.Question) (drive.Answer, bool) {
	wait := time.Duration(w.settings.DecisionMinutes) * time.Minute
	return func(ctx context.Context, q drive.Question) (drive.Answer, bool) {
		question := questions.Question{By: questions.Engine, Issue: q.Issue, Title: q.Title, Chunk: q.Chunk, Criteria: q.Criteria, Text: q.Text, Context: q.Context,
			Options: q.Options, Default: q.Default, Root: d.Root()}
		if !w.asks {
			it, err := w.desk.Put(question, 0)
			if err != nil {
				w.app.Notes([]string{err.Error()})
			}
			return drive.Answer{ID: it.ID}, false
		}
		it, ok, err := w.desk.Ask(ctx, question, wait)
		if err != nil {
			w.app.Notes([]string{err.Error()})
		}
		return drive.Answer{Text: it.Answer, By: it.AnsweredBy, ID: it.ID}, ok && err == nil
	}
}

// lateAnswers are the answers that came after a question was given up.
func (w *workshop) lateAnswers(issue string, chunk int, criteria []string) (list []drive.Decided) {
	items, err := w.desk.Late(issue, chunk, criteria...)
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
	pending, err := w.desk.Pending()
	for _, it := range pending {
		if it.Issue == issue && it.Question == d.Question && err == nil {
			_, err = w.desk.Answer(it.ID, d.Answer, d.By)
		}
	}
	if err != nil {
		w.app.Notes([]string{err.Error()})
	}
}

// tell shows a note, and sends what people who are away want to know.
func (w *workshop) tell(n drive.Note) {
	w.view.Note(n)
	w.showDoing(n)
	if w.bridge == nil {
		return
	}
	m := notify.Message{Issue: n.Issue, Chunk: n.Chunk}
	switch {
	case n.Kind == drive.Phased && n.Phase == drivestate.SessionEnding:
		m.Kind, m.Text = notify.End, notify.EndText(n.Commits, n.Chunks)
	case n.Kind == drive.Phased:
		m.Kind, m.Text = notify.Phase, notify.PhaseText(string(n.Phase), n.Chunk, n.Total, n.Issue)
	case n.Kind == drive.Committed && w.settings.Heartbeat:
		m.Kind, m.Text = notify.Commit, notify.Prefix+"committed "+text.Hash(n.Hash)+" "+n.Text
	case n.Kind == drive.Skipped || n.Kind == drive.Intervened:
		m.Kind, m.Text = notify.Remark, notify.Prefix+n.Text
	case n.Kind == drive.Ended && n.Outcome != nil && !n.Outcome.Result.Good():
		m.Kind, m.Text = notify.Remark, notify.Prefix+"#"+n.Outcome.Issue+": "+string(n.Outcome.Result)+": "+n.Outcome.Why
	default:
		return
	}
	w.bridge.Notify(m)
}
