package rdb

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/control"
	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/report"
	statuscmd "warp/internal/cli/status"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/notify"
	"warp/internal/turnstile"
)

// pollInterval is how often drives are polled.
const pollInterval = time.Second

func runCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run the bridge until interrupted, or until remote mode is off",
		Long: `Run the bridge: send what waits, report drives inside agent sessions as the setting
notify says, and receive answers and commands, until interrupted or until warp rdb
off. Drives, sessions and workflows that warp runs do this themselves.`,
		Example: "  warp rdb run",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			b, err := openBridge(a, d, func(why string) { a.Note("%s", why) })
			if err != nil {
				return err
			}
			b.Start(ctx)
			defer b.Stop()
			return watch(ctx, a, d, b)
		}),
	}
}

// watch reports what drives did since the last poll.
func watch(ctx context.Context, a *app.App, d *turnstile.Drive, b *notify.Bridge) error {
	reported := map[string]string{} // work tree -> time of the last reported row
	first := true
	for {
		tell := func(m notify.Message) {
			if s, err := d.Project.Settings(); err != nil || notify.Wanted(s.Notify, m.Kind) {
				b.Notify(m)
			}
		}
		if v, err := d.Read(); err == nil {
			sendRows(d.Root(), v.State, reported, first, tell)
		}
		for _, o := range app.FindOtherDrives(d, a.Env) {
			if o.Err == nil {
				sendRows(o.Root(), o.View.State, reported, first, tell)
			}
		}
		first = false
		if app.Sleep(ctx, pollInterval) != nil {
			return nil
		}
		if s, err := inboxcmd.Remote(a, d); err == nil && !s.Enabled {
			return nil
		}
	}
}

// sendRows sends the new rows of a drive's history, except those before the first poll. A headless
// engine reports its own.
func sendRows(root string, s *drivestate.State, reported map[string]string, first bool, tell func(notify.Message)) {
	last, known := reported[root]
	for _, m := range newMessages(s, last, known || !first) {
		tell(m)
	}
	if n := len(s.History); n > 0 {
		reported[root] = s.History[n-1].At
	}
}

// newMessages returns the messages about a drive since a row of its history.
func newMessages(s *drivestate.State, since string, all bool) []notify.Message {
	if !all || s.Session.ClaudeSession == "" {
		return nil
	}
	var list []notify.Message
	for _, r := range s.History {
		if r.At <= since {
			continue
		}
		m := notify.Message{Kind: notify.Phase, Issue: s.Issue(), Chunk: s.Chunk.Index, Text: notify.PhaseText(string(r.Phase), s.Chunk.Index, s.Chunk.Total, s.Issue())}
		if r.Phase == drivestate.SessionEnding {
			m.Kind, m.Text = notify.End, notify.EndText(s.Metrics.Commits, s.Metrics.ChunksCompleted)
		}
		if r.Event == drivestate.Merged {
			list = append(list, notify.Outcome(evidence.Outcome{Issue: s.Issue(), Result: evidence.Merged}, evidence.Effort{}))
		}
		list = append(list, m)
	}
	return list
}

// maxReply is the most bytes of a command's output to show in a chat.
const maxReply = 3500

// Commands returns a function that runs the command a chat asks for, by its name.
func Commands(a *app.App) func(context.Context, string) string {
	makers := map[string]func(*app.App) *cobra.Command{"/status": statuscmd.New, "/log": report.NewLog, "/stop": control.Stop}
	return func(ctx context.Context, word string) string {
		make := makers[word]
		if make == nil {
			return ""
		}
		var out bytes.Buffer
		quiet := *a
		quiet.Out, quiet.Err, quiet.Screen, quiet.Terminal, quiet.Redraw, quiet.Color, quiet.AsJSON = &out, &out, false, false, false, false, false
		c := make(&quiet)
		c.SetArgs([]string{})
		c.SetOut(&out)
		c.SetErr(&out)
		c.SilenceErrors, c.SilenceUsage = true, true
		if err := c.ExecuteContext(ctx); err != nil {
			return notify.Prefix + app.Message(err)
		}
		said := text.Tail(strings.TrimSpace(out.String()), maxReply)
		said = cmp.Or(said, notify.Prefix+strings.TrimPrefix(word, "/")+": done")
		return said
	}
}
