package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	tea "charm.land/bubbletea/v2"

	"warp/internal/cli/app"
	"warp/internal/cli/fleetlink"
	"warp/internal/core/fleetview"
	"warp/internal/ui/render"
	"warp/internal/ui/watch"
)

// runFleet shows a fleet.
func runFleet(ctx context.Context, a *app.App, o options) error {
	p, err := fleetlink.Find(a, o.flags)
	if err != nil {
		return err
	}
	v, err := p.Look(ctx)
	if err != nil {
		return err
	}
	if _, ok := v.Find(o.name); o.name != "" && !ok {
		return &app.UsageError{Err: fmt.Errorf("the fleet does not know %q: name it as repository#issue, as warp-fleet status does", render.Printable(o.name))}
	}
	shown := watch.FleetOptions{Name: o.name, Color: a.Color, Mouse: !o.noMouse, Now: a.Env.Now, Run: func(args ...string) (string, bool) {
		said := p.Run(ctx, args...)
		return said.Text, said.Code == 0
	}}
	if o.once || !a.Screen || a.Getenv("TERM") == "dumb" {
		width, height := size(a)
		_, err := fmt.Fprintln(a.Out, watch.FleetFrame(shown, v, width, height))
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m := watch.NewFleet(shown)
	m.Update(watch.FleetView{View: v})
	screen := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	var following sync.WaitGroup
	following.Go(func() {
		p.Follow(ctx, func(v fleetview.View, err error) { screen.Send(watch.FleetView{View: v, Err: err}) })
	})
	_, err = screen.Run()
	stop()
	following.Wait()
	switch {
	case errors.Is(err, context.Canceled):
		return &app.Silent{Code: app.Interrupt}
	case err != nil:
		return fmt.Errorf("showing the fleet: %w (warp-fleet status prints it)", err)
	}
	return nil
}
