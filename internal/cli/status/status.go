// Package status is warp status: everything that happens here now.
package status

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/core/drivestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

const everyDefault = time.Second

type options struct {
	json, watch bool
	every       time.Duration
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what runs, waits or is parked, since when, its cost, and what to do about it",
		Long: `Show what happens in this repository and its work trees: drives, loops, pipelines,
quality loops and workflows. For each: what it does, since when, what it has cost, the
question that waits for an answer, and, if it does not continue by itself, why and the
command that helps. The drive of this folder is shown in full, and open pull requests of
workflows with their checks and requested changes (drives follow those of issues).

The states: running; waiting (for an answer, or until a time); parked (needs a person);
paused; interrupted (its process is gone); stopped, done, failed.

(stale) means that the process that started the drive is gone; the drive can still be
resumed. Exit 2 when nothing is unfinished here and this folder has no drive.`,
		Example: "  warp status\n  warp status --watch\n  warp status --json | jq .phase\n  warp status --json | jq '.items[] | [.name, .state, .why]'",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			r := feed.Open(d, a.Env)
			if o.watch && a.Terminal && a.Redraw && !o.json && o.every == everyDefault {
				return background.Watch(a, "")
			}
			if o.watch {
				return watch(ctx, a, r, o)
			}
			return show(ctx, a, d, r, o)
		}),
	}
	c.Flags().BoolVar(&o.json, "json", false, "print the drive's state as JSON, with project, stale, others, items, questions and today")
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "keep the display up to date, until interrupted; on a terminal it is warp watch")
	c.Flags().DurationVar(&o.every, "every", everyDefault, "interval of --watch, which then prints and does not become warp watch")
	return c
}

// read reads the feed. A damaged drive here is an error; the caller decides about a missing one.
func read(r *feed.Reader) (*feed.Feed, error) {
	f, err := r.Read()
	if err == nil && f.Err != nil && !durable.IsMissing(f.Err) {
		err = f.Err
	}
	return f, err
}

// idle reports whether nothing is unfinished and this folder has no drive.
func idle(f *feed.Feed) bool {
	_, here := f.Here()
	return !here && len(f.Open()) == 0
}

func show(ctx context.Context, a *app.App, d *turnstile.Drive, r *feed.Reader, o options) error {
	f, err := read(r)
	if err != nil {
		return err
	}
	a.Notes(f.Notes)
	if idle(f) && len(f.Items)+len(f.Questions) == 0 {
		return f.Err
	}
	if err := print(a, f, o); err != nil {
		return err
	}
	if !o.json {
		showPulls(ctx, a, d)
	}
	if idle(f) {
		return &app.Silent{Code: app.Usage}
	}
	return nil
}

// showPulls prints the pull requests of workflows, which nights do not follow. It asks the
// tracker, through warp-net, only if there are some.
func showPulls(ctx context.Context, a *app.App, d *turnstile.Drive) {
	list, err := documents.ListPulls(d.Project.Home(), git.Repo{Dir: d.Root()})
	if err != nil || len(list) == 0 {
		return // without a repository there is no pull request
	}
	a.Printf("\n")
	if err := a.RunNet(ctx, d.Root(), []string{"workflow", "pulls"}); err != nil && err.Error() != "" {
		a.Note("%v", err)
	}
}

func print(a *app.App, f *feed.Feed, o options) error {
	if o.json {
		_, err := a.Out.Write(document(f))
		return err
	}
	render.Status(a.Out, f, a.Env.Now())
	return nil
}

// watch prints the status whenever it changes; it redraws a terminal each time, so that times
// advance. It ends when nothing is left to watch, or on an interrupt.
func watch(ctx context.Context, a *app.App, r *feed.Reader, o options) error {
	last := ""
	for {
		f, err := read(r)
		if err != nil {
			return err
		}
		if idle(f) && last == "" {
			a.Notes(f.Notes)
			return f.Err
		}
		if idle(f) {
			a.Printf("the session ended\n")
			return nil
		}
		now, drawn := string(document(f)), a.Redraw && !o.json
		if now != last || drawn {
			if drawn {
				fmt.Fprint(a.Out, "\x1b[H\x1b[2J")
			} else if last != "" && !o.json {
				a.Printf("\n")
			}
			if err := print(a, f, o); err != nil {
				return err
			}
			last = now
		}
		if app.Sleep(ctx, max(o.every, 50*time.Millisecond)) != nil {
			return nil
		}
	}
}

// other is a drive in another work tree.
type other struct {
	Issue     string           `json:"issue"`
	Phase     drivestate.Phase `json:"phase"`
	Chunk     int              `json:"chunk"`
	Chunks    int              `json:"chunks"`
	StartedAt string           `json:"started_at"`
	Stale     bool             `json:"stale"`
	Paused    bool             `json:"paused"`
	Frozen    bool             `json:"frozen"`
	Root      string           `json:"root"`
}

// maxEnded is the most ended items in the document.
const maxEnded = 20

// document returns the state of the drive here, if there is one, and everything else.
func document(f *feed.Feed) []byte {
	others, items, questions := []other{}, []feed.Item{}, []feed.Question{} // not null, for jq
	ended := 0
	for _, i := range f.Items {
		if s := i.Drive.State; s != nil && i.Root != f.Root && s.Phase.Active() {
			others = append(others, other{Issue: s.Issue(), Phase: s.Phase, Chunk: s.Chunk.Index, Chunks: s.Chunk.Total, StartedAt: s.Session.StartedAt,
				Stale: i.Drive.Stale, Paused: s.Paused != nil, Frozen: s.Frozen != nil, Root: i.Root})
		}
		if i.State.Over() {
			ended++
		}
		if !i.Later && (!i.State.Over() || ended <= maxEnded) {
			items = append(items, i)
		}
	}
	slices.SortFunc(others, func(a, b other) int { return cmp.Compare(a.Root, b.Root) })
	questions = append(questions, f.Questions...)
	more := []lossless.Member{{Key: "project", Value: lossless.NewString(f.Project)}}
	here, ok := f.Here()
	if ok {
		more = append(more, lossless.Member{Key: "stale", Value: lossless.Encode(here.Drive.Stale, nil)})
	}
	for _, m := range []struct {
		key   string
		value any
	}{{"others", others}, {"items", items}, {"questions", questions}, {"today", f.Today}} {
		more = append(more, lossless.Member{Key: m.key, Value: tree(m.value)})
	}
	if ok {
		return here.Drive.JSON(more...)
	}
	return append(lossless.AppendIndent(nil, lossless.NewObject(more...)), '\n')
}

// tree converts a value to JSON.
func tree(x any) *lossless.Value {
	text, err := json.Marshal(x)
	if err != nil {
		return lossless.NewString(err.Error())
	}
	v, err := lossless.Parse(text)
	if err != nil {
		return lossless.NewString(err.Error())
	}
	return v
}
