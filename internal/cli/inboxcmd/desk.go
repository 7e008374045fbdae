package inboxcmd

import (
	"slices"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
	"warp/internal/engine/notify"
	"warp/internal/turnstile"
)

// Desk opens a project's inbox for a command. In remote mode it posts questions and answers to
// the configured channels, and the holder of the bridge sends them. It alerts the person at this
// machine to a question.
func Desk(a *app.App, d *turnstile.Drive) (*inbox.Inbox, error) {
	s, err := Remote(a, d)
	if err != nil {
		return nil, err
	}
	settings, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	call := NewAlarm(a, settings, d.Root())
	post := func(m notify.Message) {
		if err := notify.Post(d.Project.Home(), a.Env.Now, s.Channels(), m); err != nil {
			a.Note("%v", err)
		}
		call.Sound(m)
	}
	return inbox.Open(d.Project.Home(), a.Env.Now, inbox.Hear{
		Posted:  func(i questions.Item) { post(notify.Question(i)) },
		Settled: func(i questions.Item) { post(notify.Settlement(i)) },
		Mark:    markAnswers(a),
	}), nil
}

// markAnswers returns a function that marks in a work tree that a session has an answer.
func markAnswers(a *app.App) func(root, session string) error {
	return func(root, session string) error {
		store := turnstile.Open(root, a.Env).Store()
		if !store.Exists() {
			return nil // the work tree is gone, and its session with it
		}
		return store.EditFile(questions.AnswersFile, func(text []byte) ([]byte, error) {
			if slices.Contains(strings.Split(string(text), "\n"), session) && len(text) > 0 {
				return nil, durable.ErrUnchanged
			}
			return append(text, session+"\n"...), nil
		})
	}
}

// Remote reads the notification settings. The chat may come from the environment.
func Remote(a *app.App, d *turnstile.Drive) (notify.Settings, error) {
	text, err := d.Project.Home().ReadFile(config.File)
	if err != nil {
		return notify.Settings{}, err
	}
	remote, err := notify.ReadSettings(text, a.Getenv("TELEGRAM_CHAT_ID"))
	if err != nil || len(remote.Channels()) == 0 {
		return remote, err
	}
	// Otherwise a clone could send everything to an address it chooses.
	if s, err := d.Project.Settings(); err == nil && s.Refused != nil {
		return notify.Settings{}, s.Refused
	}
	return remote, nil
}
