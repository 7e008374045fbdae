// Package webcmd is warp web: the project in a browser.
package webcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/cli/fleetlink"
	"warp/internal/engine/inbox"
	"warp/internal/engine/person"
	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/web"
)

type options struct {
	listen, token, cert, key string
	port                     int
	noOpen, control, all     bool
	fleet                    bool
	flags                    []string // for warp-fleet
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "web",
		Short: "Show the project in a browser: tonight, issues, inbox, money, history, health",
		Long: `Show the project in a browser: what runs, what waits for you, what was merged, the
evidence for each criterion, the money. Pages update by themselves. Everything they need
is in the program; nothing is loaded from elsewhere.

It prints an address with a code that lets one browser in, once; press Enter for another.
It listens on this machine only, and is read-only unless --allow-control is given: then
pages have buttons that answer, pause, continue, retry, skip and stop, as warp itself does.

--listen makes it reachable from other machines. Anyone who gets in can read issues, code and
what agents said, and with --allow-control can stop and steer them; so it needs --token,
which other devices type in, or --cert and --key. Without a certificate the token and
all pages can be intercepted: use that in networks you trust, or behind a tunnel.

--fleet adds the page of a fleet: machines, queue, merge trains, money, and each requirement
with its evidence. It runs the program warp-fleet, which gets the flags after --. Outside of
a project, the fleet alone is shown.

A JSON API with the same rules is below /api/v1: /api/v1/openapi.json describes it.`,
		Example: "  warp web\n  warp web --allow-control --port 8080\n  warp web --fleet -- --connect fleet-host:7233 --tls\n  warp web --listen 0.0.0.0 --cert cert.pem --key key.pem\n  curl -H \"Authorization: Bearer $TOKEN\" localhost:8080/api/v1/items",
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			d, err := a.Project()
			if err != nil && (!o.fleet || o.all || !errors.Is(err, app.ErrNoProject)) { // a fleet can be shown from anywhere
				return err
			}
			if err := o.check(); err != nil {
				return &app.UsageError{Err: err}
			}
			return serve(ctx, a, d, o)
		}),
	}
	c.Args = func(c *cobra.Command, args []string) error { return o.take(args, c.ArgsLenAtDash()) }
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1", "address to listen on; any but this machine's needs --token, or --cert and --key")
	f.IntVar(&o.port, "port", 0, "port; 0: a free one")
	f.BoolVar(&o.noOpen, "no-open", false, "do not open a browser")
	f.BoolVar(&o.control, "allow-control", false, "add buttons that answer, pause, continue, retry, skip and stop")
	f.StringVar(&o.token, "token", "", "token that lets scripts and other devices in, at least 16 characters")
	f.StringVar(&o.cert, "cert", "", "certificate file, for https")
	f.StringVar(&o.key, "key", "", "key file of the certificate")
	f.BoolVar(&o.fleet, "fleet", false, "also show a fleet; put flags for warp-fleet after --")
	f.BoolVar(&o.all, "all", false, "also show the other projects of the token ledger")
	return c
}

// take parses the flags of warp-fleet; there are no other arguments.
func (o *options) take(args []string, dash int) error {
	if o.fleet && dash == 0 {
		o.flags = args
		return nil
	}
	if len(args) > 0 {
		return app.WrongUsage("%q is not expected: put flags for warp-fleet after --, together with --fleet", args[0])
	}
	return nil
}

// check refuses options that would expose the server to everyone.
func (o options) check() error {
	switch {
	case (o.cert == "") != (o.key == ""):
		return errors.New("--cert and --key belong together")
	case o.token != "" && len(o.token) < 16:
		return errors.New("--token is too short: use at least 16 characters, such as the output of openssl rand -hex 16")
	case !o.private() && o.token == "" && o.cert == "":
		return fmt.Errorf("--listen %s makes the pages reachable from other machines: add --token, or --cert and --key (warp web --help says what that means)", o.listen)
	case o.port < 0 || o.port > 65535:
		return fmt.Errorf("--port %d: a port is between 0 and 65535", o.port)
	}
	return nil
}

// private reports whether the server listens on this machine only.
func (o options) private() bool {
	ip := net.ParseIP(o.listen)
	return o.listen == "localhost" || ip != nil && ip.IsLoopback()
}

func (o options) scheme() string {
	if o.cert != "" {
		return "https"
	}
	return "http"
}

// discardLog drops clients' errors: a scanner must not fill the terminal.
var discardLog = log.New(io.Discard, "", 0)

func serve(ctx context.Context, a *app.App, d *turnstile.Drive, o options) error {
	pages, err := newSite(a, d, o)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(o.listen, strconv.Itoa(o.port)))
	if err != nil {
		return fmt.Errorf("listening on %s: %w", o.listen, err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return fmt.Errorf("reading the address that is listened on: %w", err)
	}
	door := &web.Door{Next: pages.handler, CSRF: pages.csrf, Scheme: o.scheme(), Port: port, Token: o.token, Private: o.private(), Names: o.names()}
	for _, s := range pages.servers {
		go s.Follow(ctx)
	}
	server := &http.Server{Handler: door, ReadHeaderTimeout: readTime, IdleTimeout: idleTime, ErrorLog: discardLog, BaseContext: func(net.Listener) context.Context { return ctx }}
	printAddresses(ctx, a, o, door, port)
	go func() {
		<-ctx.Done()
		_ = server.Close() // this ends the connections of open pages
	}()
	if o.cert != "" {
		err = server.ServeTLS(l, o.cert, o.key)
	} else {
		err = server.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serving the pages: %w", err)
}

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
	environ, err := controlEnviron(a, o)
	if err != nil {
		return site{}, err
	}
	run := runner{warp, environ}
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
			home := opts.Project.Project.Home().Dir()
			opts.Join = func() (func(), error) { return inbox.JoinWatchers(home) }
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

// controlEnviron returns the environment of the buttons' commands. Only the browser that has the
// code from the terminal is let in, so a button of a server that a person started is that person's
// decision, also while agents work (Answer was refused then: its command has no terminal).
func controlEnviron(a *app.App, o options) ([]string, error) {
	environ := a.AllEnviron()
	if !o.control || !a.Person() {
		return environ, nil
	}
	folder, err := trust.Folder(a.Getenv)
	if err != nil {
		return nil, err
	}
	token, err := person.Token(folder, false)
	if err != nil {
		return nil, err
	}
	return append(environ, person.Variable+"="+token), nil
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
