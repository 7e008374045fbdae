package hook

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// questionTool is the agent's own way to ask; only a person at the terminal sees it.
const questionTool = "AskUserQuestion"

// guardQuestion keeps the owner of a drive from asking at the terminal in remote mode: no one
// would answer, and the session would wait forever.
func guardQuestion(c *call) error {
	if c.Tool != questionTool {
		return nil
	}
	v, err := c.sight.viewOwned()
	if err != nil || v == nil {
		return err
	}
	cfg, err := c.drive.Project.Settings()
	if err != nil || !cfg.Remote {
		return err
	}
	c.answer.deny("remote mode is on: no person is at the terminal. Ask over the bridge instead: warp ask \"question\" --option a --option b --default a. It prints the answer, or \"pending ID\" (exit 13) after a minute: then continue with something else; warp passes on the answer when it comes. A person switches back with warp rdb off.")
	c.recordDenial("question", questionTool)
	return nil
}

// passAnswers gives a session the answers to its questions, each once; the owner of a drive also
// gets those to earlier sessions in its work tree. A sign file names the sessions with answers,
// so that the others pay only for one look at it.
func passAnswers(c *call) error {
	root := c.drive.Root()
	sign, err := durable.ReadPlain(signPath(c.drive))
	if err != nil || c.Session == "" {
		return nil // there are no answers
	}
	owned, err := c.sight.viewOwned()
	if err != nil || owned == nil && !slices.Contains(strings.Fields(string(sign)), c.Session) {
		return err
	}
	var items []questions.Item
	_, err = openInbox(c.drive).Update(func(tx *durable.Tx[questions.Book]) error {
		if tx.Doc == nil {
			return durable.ErrUnchanged
		}
		items = tx.Doc.For(c.Session, root, owned != nil)
		for _, i := range items {
			tx.Doc.Take(i.ID, c.env.System.Now())
		}
		if len(items) == 0 {
			return durable.ErrUnchanged
		}
		tx.Log("told", map[string]string{"session": c.Session})
		return nil
	})
	if err != nil {
		return err
	}
	if len(items) > 0 {
		c.answer.tell(questions.FormatAnswers(items))
	}
	return removeSign(c.drive)
}

// removeSign removes the sign file if no session has an answer left. It holds the inbox's lock
// meanwhile, so that a person who answers next writes the file again. (It was once removed after
// the lock was released, which lost answers given in between.)
func removeSign(drive *turnstile.Drive) error {
	_, err := openInbox(drive).Update(func(tx *durable.Tx[questions.Book]) error {
		if tx.Doc != nil && tx.Doc.HasAnswerFor(drive.Root()) {
			return durable.ErrUnchanged
		}
		if err := drive.Store().CheckFolder("state"); err != nil {
			return err
		}
		return cmp.Or(durable.RemoveFile(signPath(drive)), durable.ErrUnchanged)
	})
	return err
}

func signPath(drive *turnstile.Drive) string {
	return filepath.Join(drive.Root(), filepath.FromSlash(questions.AnswersFile))
}

// openInbox opens the project's questions and answers.
func openInbox(drive *turnstile.Drive) *durable.Doc[questions.Book] {
	return durable.Open(drive.Project.Home(), questions.File, durable.Kind[questions.Book]{Name: questions.Name, Version: questions.Version})
}
