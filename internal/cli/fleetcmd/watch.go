package fleetcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/fleet/look"
	"warp/internal/ui/render"
)

func newWatch() *cobra.Command {
	var every time.Duration
	c := onFleet(&cobra.Command{Use: "watch", Short: "Show a fleet and keep it up to date",
		Long: "Show a fleet and keep it up to date. --json prints a line for each change: warp watch --fleet and warp web --fleet read it."}, func(ctx context.Context, f fleet, _ []string) error {
		show := func(v look.View) error { return draw(f.out, v, time.Now()) }
		if f.json {
			show = func(v look.View) error { return json.NewEncoder(f.out).Encode(v.Plain()) }
		}
		err := follow(ctx, every, f.errs, func() error { return look.Follow(ctx, f.Link, f.name, every, show) })
		if ctx.Err() != nil {
			return &app.Silent{Code: app.Done}
		}
		return err
	})
	c.Flags().Bool("json", false, "print a line of JSON for each change")
	c.Flags().DurationVar(&every, "every", time.Second, "how often to look")
	c.Args = func(_ *cobra.Command, args []string) error {
		if every <= 0 {
			return app.WrongUsage("--every must be more than 0, such as 2s")
		}
		return cobra.NoArgs(c, args)
	}
	return c
}

// follow retries when the server was away for a while.
func follow(ctx context.Context, pause time.Duration, errs io.Writer, again func() error) error {
	return retry(ctx, pause, errs, "warp-fleet: the server does not answer; this goes on when it does", again)
}

// draw shows a fleet, on a terminal in place of the previous frame.
func draw(out io.Writer, v look.View, now time.Time) error {
	var page bytes.Buffer
	showView(&page, v, now)
	text := append(page.Bytes(), '\n')
	if f, ok := out.(*os.File); ok && render.IsTerminal(f) { // overwriting line by line avoids flicker
		text = append([]byte("\x1b[H"), bytes.ReplaceAll(page.Bytes(), []byte("\n"), []byte("\x1b[K\n"))...)
		text = append(text, "\x1b[J"...)
	}
	_, err := out.Write(text)
	return err
}
