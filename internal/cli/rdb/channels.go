package rdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"warp/internal/adapter/notify/ntfy"
	"warp/internal/adapter/notify/telegram"
	"warp/internal/adapter/notify/webhook"
	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/durable"
	"warp/internal/engine/notify"
	"warp/internal/turnstile"
)

// Bridge returns the bridge of a project; nil if remote mode is off or no channel is set up.
// command runs what a chat asks for.
func Bridge(a *app.App, d *turnstile.Drive, desk notify.Desk, command func(context.Context, string) string, trouble func(string)) (*notify.Bridge, error) {
	s, err := inboxcmd.Remote(a, d)
	if err != nil || len(s.Channels()) == 0 {
		return nil, err
	}
	list, err := channels(a, s)
	if err != nil {
		return nil, err
	}
	stamp, _ := a.Env.Started(a.Env.PID)
	return notify.New(notify.Config{
		Store: d.Project.Home(), Project: filepath.Base(filepath.Dir(d.Project.Home().Dir())), Channels: list, Desk: desk, Command: command, Now: a.Env.Now,
		Me: durable.Process{PID: a.Env.PID, Stamp: stamp, Host: app.Hostname()}, Started: a.Env.Started, Trouble: trouble,
	}), nil
}

// openBridge is Bridge for commands that need one.
func openBridge(a *app.App, d *turnstile.Drive, trouble func(string)) (*notify.Bridge, error) {
	desk, err := inboxcmd.Desk(a, d)
	if err != nil {
		return nil, err
	}
	b, err := Bridge(a, d, desk, Commands(a), trouble)
	if err == nil && b == nil {
		err = app.WrongUsage("remote mode is off, or no channel is set up: warp rdb on --help")
	}
	return b, err
}

// Checked is the state of a channel. Trouble is "" if it works.
type Checked struct{ Name, Trouble string }

// Check tests the channels without sending anything; none if remote mode is off. An error keeps
// a drive from starting.
func Check(ctx context.Context, a *app.App, d *turnstile.Drive) (all []Checked, err error) {
	s, err := inboxcmd.Remote(a, d)
	if err != nil || len(s.Channels()) == 0 {
		return nil, err
	}
	list, err := channels(a, s)
	if err != nil {
		return nil, err
	}
	box, err := notify.Read(d.Project.Home(), a.Env.Now)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		at, _ := box.Standing(c.Name())
		out := Checked{c.Name(), cmp.Or(at.Trouble, at.Deaf)}
		if bot, ok := c.(interface {
			Bot(context.Context) (string, error)
		}); ok && out.Trouble == "" {
			if _, err := bot.Bot(ctx); err != nil {
				out.Trouble = err.Error()
			}
		}
		if far, ok := c.(interface{ Reach(context.Context) error }); ok && out.Trouble == "" {
			if err := far.Reach(ctx); err != nil {
				out.Trouble = err.Error()
			}
		}
		all = append(all, out)
	}
	return all, nil
}

// channels returns the configured channels. Secrets come from the environment or a file of the
// user's, never from the project.
func channels(a *app.App, s notify.Settings) ([]notify.Channel, error) {
	var list []notify.Channel
	if s.Chat != 0 {
		token, err := botToken(a)
		if err != nil {
			return nil, err
		}
		t, err := telegram.New(telegram.Config{Base: cmp.Or(a.Getenv("TELEGRAM_API_BASE"), s.APIBase), Token: token, Chat: s.Chat})
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	if s.Webhook != "" {
		w, err := webhook.New(webhook.Config{URL: s.Webhook, Secret: a.Getenv("WARP_WEBHOOK_SECRET"), Now: a.Env.Now})
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	if s.Ntfy != "" {
		token := ""
		if a.Getenv("NTFY_URL") == s.Ntfy { // a project must not choose who gets the token
			token = a.Getenv("NTFY_TOKEN")
		}
		n, err := ntfy.New(ntfy.Config{URL: s.Ntfy, Token: token})
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// botToken returns the bot's token from the environment, or from a file that only the user can
// read.
func botToken(a *app.App) (string, error) {
	if t := strings.TrimSpace(a.Getenv("TELEGRAM_BOT_TOKEN")); t != "" {
		return t, nil
	}
	path := cmp.Or(a.Getenv("TELEGRAM_BOT_TOKEN_FILE"), filepath.Join(a.Getenv("HOME"), ".claude", "telegram-token"))
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the Telegram bot token is missing: set TELEGRAM_BOT_TOKEN, or put it into %s (chmod 600)", path)
	case err != nil:
		return "", fmt.Errorf("reading the Telegram bot token: %w", err)
	case !info.Mode().IsRegular() || info.Size() > 4096:
		return "", fmt.Errorf("%s is not a file with a token", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("%s is readable by other users (mode %04o), so it is not used: run chmod 600 %s", path, info.Mode().Perm(), path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the Telegram bot token: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
