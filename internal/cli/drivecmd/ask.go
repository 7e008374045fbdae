package drivecmd

import (
	"bufio"
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	engine "warp/internal/engine/drive"
	"warp/internal/ui/render"
)

// asker asks the person at the terminal; nil when nobody is there.
func (w *workshop) asker() func(context.Context, engine.Question) (engine.Answer, bool) {
	in, ok := w.app.In.(*os.File)
	if !ok || !w.app.Terminal || w.o.json {
		return nil
	}
	if info, err := in.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return func(ctx context.Context, q engine.Question) (engine.Answer, bool) { return w.ask(ctx, in, q) }
}

// ask waits for a line, as long as the settings say.
func (w *workshop) ask(ctx context.Context, in *os.File, q engine.Question) (engine.Answer, bool) {
	defer w.view.Hold()()
	limit := time.Duration(w.settings.DecisionMinutes) * time.Minute
	w.app.Printf("\n#%s %s (%s)\n%s\n", q.Issue, render.Printable(q.Title), q.Context, render.Printable(q.Text))
	for i, o := range q.Options {
		w.app.Printf("  %d. %s\n", i+1, render.Printable(o))
	}
	w.app.Printf("Answer within %s", limit)
	if q.Default != "" {
		w.app.Printf(" (enter: %s)", render.Printable(q.Default))
	}
	w.app.Printf(": ")
	line := make(chan string, 1)
	go func() {
		text, err := bufio.NewReader(in).ReadString('\n')
		if err == nil {
			line <- strings.TrimSpace(text)
		}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case text := <-line:
		return choose(text, q)
	case <-timer.C:
	case <-ctx.Done():
	}
	w.app.Printf("\nno answer\n")
	return engine.Answer{}, false
}

// choose reads what a person typed: the number of an option, or their own words.
func choose(text string, q engine.Question) (engine.Answer, bool) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(q.Options) {
		text = q.Options[n-1]
	}
	if text == "" {
		text = q.Default
	}
	return engine.Answer{Text: text, By: "terminal"}, text != ""
}
