// Package rdb is warp rdb: the remote decision bridge, which carries decisions and progress to
// people away from the terminal.
package rdb

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/settings"
	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/engine/notify"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "rdb",
		Short: "Remote decisions: progress and questions over Telegram, a webhook or ntfy",
		Long: `Remote decisions, for when you are away from the terminal: what was merged, what
failed, what needs you and how it ended are sent to a Telegram chat, a webhook or an
ntfy topic, and so are questions, with buttons (the setting notify: all adds phases and
commits, questions sends nothing else). Answer in the chat, with warp answer or at the
terminal.

Telegram needs a separate bot for each project (from @BotFather). Its token is read
from TELEGRAM_BOT_TOKEN, or from ~/.claude/telegram-token (chmod 600), and is never
written. Only the configured chat can send commands: /status, /log, /inbox, /stop.

Drives, sessions and workflows run the bridge themselves. For a drive inside an agent
session, run warp rdb run.`,
		Example: "  warp rdb on --chat 123456789\n  warp rdb test\n  warp rdb status\n  warp rdb run\n  warp rdb off",
	}
	c.AddCommand(on(a), off(a), status(a), test(a), runCommand(a))
	return c
}

func on(a *app.App) *cobra.Command {
	var chat int64
	var hook, topic string
	c := &cobra.Command{
		Use:     "on",
		Short:   "Send decisions and progress to the configured channels",
		Long:    "Switch remote mode on, and set up channels for decisions and progress. Existing\nchannels stay. While a drive is active, only a person may add one.",
		Example: "  warp rdb on --chat 123456789\n  warp rdb on --webhook https://example.com/hook\n  warp rdb on --ntfy https://ntfy.sh/my-topic",
	}
	c.Flags().Int64Var(&chat, "chat", 0, "the Telegram chat; groups have negative numbers")
	c.Flags().StringVar(&hook, "webhook", "", "a URL that messages are posted to as JSON; signed with WARP_WEBHOOK_SECRET")
	c.Flags().StringVar(&topic, "ntfy", "", "a topic of an ntfy server, as a URL")
	c.RunE = a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
		old, err := inboxcmd.Remote(a, d)
		if err != nil {
			return err
		}
		next := notify.Settings{Enabled: true, Chat: cmp.Or(chat, old.Chat), APIBase: old.APIBase, Webhook: cmp.Or(hook, old.Webhook), Ntfy: cmp.Or(topic, old.Ntfy)}
		if len(next.Channels()) == 0 {
			return app.WrongUsage("no channel is set up yet: use --chat NUMBER (write to your bot, then see message.chat.id in https://api.telegram.org/bot<token>/getUpdates), --webhook URL or --ntfy URL")
		}
		if _, err := channels(a, notify.Settings{Webhook: hook, Ntfy: topic}); err != nil {
			return &app.UsageError{Err: err} // it is an address of the command line
		}
		if _, err := channels(a, next); err != nil {
			return err
		}
		values := [][2]any{{"enabled", true}}
		if chat != 0 {
			values = append(values, [2]any{"chat", chat})
		}
		if hook != "" {
			values = append(values, [2]any{"webhook", hook})
		}
		if topic != "" {
			values = append(values, [2]any{"ntfy", topic})
		}
		if err := set(a, d, values...); err != nil {
			return err
		}
		a.Printf("remote mode is on: %s\n", strings.Join(next.Channels(), ", "))
		return nil
	})
	return c
}

func off(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "off",
		Short:   "Ask at the terminal again",
		Long:    "Switch remote mode off. Channels stay set up, and unsent messages stay in the\noutbox.",
		Example: "  warp rdb off",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			if err := set(a, d, [2]any{"enabled", false}); err != nil {
				return err
			}
			a.Printf("remote mode is off\n")
			return nil
		}),
	}
}

// set writes members of the section; every other byte of the file stays.
func set(a *app.App, d *turnstile.Drive, values ...[2]any) error {
	before, err := d.Project.Home().ReadFile(config.File)
	if err != nil {
		return err
	}
	err = d.Project.EditSettings(func(text []byte) ([]byte, error) {
		tree, err := lossless.Parse(text)
		if err == nil && tree.Get(notify.Section) != nil && tree.Get(notify.Section).Kind != lossless.Object {
			if text, err = lossless.Set(text, lossless.NewObject(), notify.Section); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			if text, err = lossless.Set(text, lossless.Encode(v[1], nil), notify.Section, v[0].(string)); err != nil {
				return nil, fmt.Errorf("%s cannot be edited, nothing was changed: %w", config.File, err)
			}
		}
		return text, nil
	})
	if err != nil {
		return err
	}
	return settings.Vouch(a, d, before)
}

// channelStatus is a channel in warp rdb status.
type channelStatus struct {
	Name    string `json:"name"`
	Waiting int    `json:"waiting"`
	Sent    int    `json:"sent"`
	Refused int    `json:"refused"`
	Ignored int    `json:"ignored"`
	Trouble string `json:"trouble,omitempty"`
	Deaf    string `json:"deaf,omitempty"`
}

func status(a *app.App) *cobra.Command {
	return a.WithJSON("print it as JSON", &cobra.Command{
		Use:     "status",
		Short:   "Show whether remote mode is on, what waits to be sent, and problems",
		Long:    "Show whether remote mode is on, and for each channel what was sent, what waits,\nhow many messages of strangers were ignored, and problems.",
		Example: "  warp rdb status\n  warp rdb status --json | jq '.channels[] | select(.trouble)'",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			s, err := inboxcmd.Remote(a, d)
			if err != nil {
				return err
			}
			box, err := notify.Read(d.Project.Home(), a.Env.Now)
			if err != nil {
				return err
			}
			asked := s.Enabled
			s.Enabled = true // show what is set up, even if off
			list := []channelStatus{}
			for _, name := range s.Channels() {
				at, waiting := box.Standing(name)
				list = append(list, channelStatus{name, waiting, at.Sent, at.Refused, at.Ignored, at.Trouble, at.Deaf})
			}
			return show(a, asked, list, box.Dropped)
		}),
	})
}

func show(a *app.App, enabled bool, list []channelStatus, dropped int) error {
	return a.Show(struct {
		Enabled  bool            `json:"enabled"`
		Dropped  int             `json:"dropped"`
		Channels []channelStatus `json:"channels"`
	}{enabled, dropped, list}, func() {
		word := map[bool]string{true: "on", false: "off"}[enabled]
		if len(list) == 0 {
			a.Printf("remote mode is %s; no channel is set up (warp rdb on --help)\n", word)
			return
		}
		a.Printf("remote mode is %s\n", word)
		rows := [][]string{{"CHANNEL", "SENT", "WAITING", "REFUSED", "IGNORED", "TROUBLE"}}
		for _, s := range list {
			rows = append(rows, []string{s.Name, strconv.Itoa(s.Sent), strconv.Itoa(s.Waiting), strconv.Itoa(s.Refused), strconv.Itoa(s.Ignored), cmp.Or(s.Trouble, s.Deaf, "-")})
		}
		render.Table(a.Out, rows)
		if dropped > 0 {
			a.Note("%d old messages were dropped: the outbox was full", dropped)
		}
	})
}

// testTimeout is how long a test may take.
const testTimeout = 30 * time.Second

func test(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "test",
		Short:   "Send a test message to every channel, and wait until it arrives",
		Long:    "Send a test message to every channel, and wait until it arrives. Exit 1 if it does\nnot: warp rdb status says why, and it is sent later.",
		Example: "  warp rdb test",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			var last string
			b, err := openBridge(a, d, func(why string) { last = why })
			if err != nil {
				return err
			}
			b.Notify(notify.Message{Kind: notify.Remark, Text: notify.Prefix + "test: remote decisions of " + b.Project + " come here"})
			b.Start(ctx)
			waiting, cancel := context.WithTimeout(ctx, testTimeout)
			defer cancel()
			arrived := b.Flush(waiting)
			b.Stop()
			if !arrived {
				return fmt.Errorf("the message has not arrived yet: %s", cmp.Or(last, "no channel responds"))
			}
			a.Printf("the message has arrived\n")
			return nil
		}),
	}
}
