package webcmd

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/cli/fleetlink"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/web"
)

// site is all projects shown, or a fleet alone.
type site struct {
	handler http.Handler
	servers []*web.Server
	csrf    string
}

func newSite(a *app.App, d *turnstile.Drive, o options) (site, error) {
	warp, err := app.Beside("warp")
	if err != nil {
		return site{}, err
	}
	run := runner{warp, a.AllEnviron()}
	roots := []string{""} // no project
	if d != nil {
		roots[0] = d.Root()
	}
	if o.all {
		if roots, err = cost.KnownProjects(a, d.Root()); err != nil {
			return site{}, err
		}
	}
	var places []web.Place
	for n, root := range roots {
		one := web.Place{Name: filepath.Base(root)}
		if n > 0 {
			one.Base = fmt.Sprintf("/p/%d", n)
		}
		places = append(places, one)
	}
	var fleet *web.Fleet
	if o.fleet {
		p, err := fleetlink.Find(a, o.flags)
		if err != nil {
			return site{}, err
		}
		fleet = &web.Fleet{Follow: p.Follow, Run: func(ctx context.Context, args ...string) web.Said { return web.Said(p.Run(ctx, args...)) }}
	}
	mux := http.NewServeMux()
	s := site{handler: mux}
	for i, root := range roots {
		opts := web.Options{Env: a.Env, Base: places[i].Base, Control: o.control, CSRF: s.csrf, Warp: run.wait}
		if len(places) > 1 {
			opts.Others = places
		}
		if i == 0 { // the fleet belongs to no project
			opts.Fleet = fleet
		}
		if root != "" {
			opts.Project = turnstile.Open(root, a.Env)
		}
		server, err := web.New(opts)
		if err != nil {
			return site{}, err
		}
		s.csrf, s.servers = server.CSRF, append(s.servers, server)
		mux.Handle(places[i].Base+"/", http.StripPrefix(places[i].Base, server))
	}
	return s, nil
}

// runner runs warp command lines, as a person would type them.
type runner struct {
	warp    string
	environ []string
}

const keep = 8 << 20

func (r runner) wait(ctx context.Context, root string, args ...string) web.Said {
	return web.Said(app.RunProgram(ctx, proc.Cmd{Argv: append([]string{r.warp}, args...), Dir: root, Env: r.environ, Keep: keep}))
}
