// Package next is warp next, which connects the engine with a mind: a Claude Code session or a
// person. It starts the engine if none runs, waits until the engine needs the mind, and prints the
// task.
package next

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
)

// callTimeout is how long a call may take: Claude Code ends one after two minutes.
const callTimeout = 100 * time.Second

// New returns the command.
func New(a *app.App) *cobra.Command {
	var q Ask
	var result string
	c := &cobra.Command{
		Use:   "next [issue]",
		Short: "Take the next step of a drive that you work on",
		Long: `Take the next step of a drive that you work on, as a Claude Code session or a
person. warp does every deterministic step, as warp drive does, until something has
to be planned, coded or fixed. Then it prints the task and exits. Do the task, and
run warp next again: warp does tests, verification, commit, report, pull request or
merge.

With a number, it drives that issue; without one, the unfinished drive here, or else
the next approved issue.

What takes longer than --wait continues in the background: warp next says what runs
and since when. Run it again then.

Exit codes: 0 there is a task, something still runs, the work is merged or a pull
request is open; else those of warp drive.`,
		Example: `  warp next 42
  warp next
  warp next --result '{"summary":"the parser keeps comments"}'
  warp next --result - < answer.json`,
		Args: app.IssueNumbers(0, 1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if len(args) == 1 {
				q.Issue = args[0]
			}
			text, err := readResult(a.In, result)
			if err != nil {
				return err
			}
			q.Result = text
			said, err := Step(ctx, a, d, q)
			if err != nil {
				return err
			}
			a.Printf("%s", said.Text)
			if said.Code != app.Done {
				return &app.Silent{Code: said.Code}
			}
			return nil
		}),
	}
	f := c.Flags()
	f.StringVar(&result, "result", "", "your answer as JSON, if the task asks for one; -: from standard input, @FILE: from a file")
	f.DurationVar(&q.Wait, "wait", callTimeout, "how long to wait before saying what still runs")
	f.BoolVar(&q.Show, "show", false, "print the task again, without reporting it as done")
	f.BoolVar(&q.More, "more", false, "take the next approved issue when the named one is done")
	return c
}

// readResult reads the mind's answer from the flag, a file or stdin.
func readResult(in io.Reader, from string) (json.RawMessage, error) {
	text, err := []byte(from), error(nil)
	switch {
	case from == "":
		return nil, nil
	case from == "-":
		text, err = io.ReadAll(io.LimitReader(in, maxResult))
	case strings.HasPrefix(from, "@"):
		text, err = os.ReadFile(from[1:])
	}
	if err != nil {
		return nil, fmt.Errorf("reading the result: %w", err)
	}
	if text = bytes.TrimSpace(text); !json.Valid(text) || len(text) > maxResult {
		return nil, app.WrongUsage("--result is not valid JSON; nothing was reported as done")
	}
	return text, nil
}

const maxResult = 1 << 20 // bytes in a result
