// Package people connects running work to the people who decide: through the inbox, the terminal,
// the bridge and the desktop. All engines ask and notify through it, so that the settings
// unattended and notify mean the same for all.
package people

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/rdb"
	"warp/internal/core/config"
	"warp/internal/core/questions"
	"warp/internal/engine/inbox"
	"warp/internal/engine/notify"
	"warp/internal/turnstile"
)

// Line is the connection of one command. It is safe for concurrent use.
type Line struct {
	Desk *inbox.Inbox
	Seen bool // a person will see a question in time

	settings config.Settings
	home     string         // the store that work trees share
	bridge   *notify.Bridge // nil if remote mode is off
	alarm    *inboxcmd.Alarm
	stop     context.CancelFunc
	wait     sync.WaitGroup
}

// Options say how to reach people.
type Options struct {
	Machine bool          // the output is for programs, so it gets no questions
	Hold    func() func() // suspends other output while a question is open; may be nil
	Trouble func(string)  // receives problems of the bridge
}

// Connect opens the channels to people; Close closes them.
func Connect(ctx context.Context, a *app.App, d *turnstile.Drive, o Options) (*Line, error) {
	settings, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	desk, err := inboxcmd.Desk(a, d)
	if err != nil {
		return nil, err
	}
	l := &Line{Desk: desk, settings: settings, home: d.Project.Home().Dir(), alarm: inboxcmd.NewAlarm(a, settings, d.Root())}
	if in, ok := a.In.(*os.File); ok && a.Terminal && !o.Machine && !settings.Remote {
		desk.Hear.Terminal = (&inboxcmd.Terminal{In: in, Out: a.Out, Now: a.Env.Now, Hold: o.Hold}).Ask
		l.Seen = true
	}
	if l.bridge, err = rdb.Bridge(a, d, desk, rdb.Commands(a), o.Trouble); err != nil {
		return nil, err
	}
	if err := a.StartExporter(d); err != nil {
		o.Trouble(err.Error()) // monitoring is optional
	}
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	if l.bridge != nil {
		l.Seen = true
		l.bridge.Start(ctx)
	}
	l.wait.Go(func() { desk.Attend(ctx) })
	return l, nil
}

// Ask asks a person. Without an answer in time, the setting unattended decides.
func (l *Line) Ask(ctx context.Context, q questions.Question) (questions.Item, bool, error) {
	return l.Desk.Ask(ctx, q, inbox.Patience{Wait: time.Duration(l.settings.DecisionMinutes) * time.Minute, Seen: l.Seen || inbox.IsWatched(l.home), Unattended: l.settings.Unattended})
}

// Answers returns what was decided about a loop's or pipeline's questions in a work tree since a time:
// answers, and defaults taken.
func (l *Line) Answers(work, root string, since time.Time) ([]questions.Item, error) {
	b, err := l.Desk.Book()
	if err != nil {
		return nil, err
	}
	return b.Decided(work, root, since), nil
}

// WithdrawRuns withdraws the questions that the runs of a loop, pipeline or workflow asked in a work
// tree, or in one of its own below it, once it has ended. Drives withdraw theirs by issue. Other
// work trees below may have a session of the same name.
func WithdrawRuns(desk *inbox.Inbox, d *turnstile.Drive, work string) error {
	own := ".claude/worktrees/" + strings.Replace(work, " ", "-", 1) // as engines name them
	return desk.Withdraw(func(i questions.Item) bool {
		below, err := filepath.Rel(d.Root(), i.Root)
		if i.Work != work || err != nil || !filepath.IsLocal(below) {
			return false
		}
		_, err = os.Lstat(i.Root)
		return below == "." || errors.Is(err, fs.ErrNotExist) || strings.HasPrefix(filepath.ToSlash(below), own)
	})
}

// Tell sends a notification if the setting notify wants it. It does not wait.
func (l *Line) Tell(m notify.Message) {
	if !notify.Wanted(l.settings.Notify, m.Kind) {
		return
	}
	if l.bridge != nil {
		l.bridge.Notify(m)
	}
	l.wait.Go(func() { l.alarm.Sound(m) })
}

// flushTime is how long Close waits for the last messages.
const flushTime = 10 * time.Second

// Close waits briefly until the last messages are sent.
func (l *Line) Close() {
	if l.bridge != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushTime)
		l.bridge.Flush(ctx)
		cancel()
		l.bridge.Stop()
	}
	l.stop()
	l.wait.Wait()
}
