// Package web shows a project in a browser: pages made on the server, a JSON API, and
// what changes as server-sent events. Everything it needs is inside the program.
//
// It reads the feed and decides nothing: a button runs the same command line that a
// person would type, and shows what that said. Who may ask is decided by Door alone.
package web

import (
	"context"
	"crypto/rand"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/monitor"
)

//go:embed templates static openapi.json
var assets embed.FS

// Options are what the pages of a project are made of.
type Options struct {
	Project *turnstile.Drive // nil: the fleet alone is shown
	Env     turnstile.Env
	Base    string // what its addresses begin with; "": nothing
	Others  []Place
	Control bool   // people may answer, pause, stop, …
	CSRF    string // every form has it; "": a new one is made
	// Warp runs a command line of warp's in a work tree.
	Warp  func(ctx context.Context, root string, args ...string) Said
	Fleet *Fleet // nil: none is shown
}

// Place is a project that is shown by the same server.
type Place struct{ Name, Base string }

// Said is what a command said, and its exit code.
type Said struct {
	Out  []byte `json:"-"` // the result alone
	Text string `json:"text"`
	Code int    `json:"code"`
}

// Server shows one project. All its pages share one reader of the feed, and what changed
// is rendered once for all that look at the same page.
type Server struct {
	Options
	reader    *feed.Reader
	now       atomic.Pointer[feed.Feed]
	broken    atomic.Pointer[error] // why the feed could not be read
	templates map[string]*template.Template
	mux       *http.ServeMux
	live      *http.ServeMux // the pages that are rendered again
	hub       hub
	said      said
	first     chan struct{} // closed when the feed has been read once
	health    health
	ready     ready
	fleet     fleet
}

// New makes the server of a project; Follow brings it to life.
func New(o Options) (*Server, error) {
	if o.CSRF == "" {
		o.CSRF = rand.Text()
	}
	s := &Server{Options: o, mux: http.NewServeMux(), live: http.NewServeMux(), first: make(chan struct{})}
	s.hub.topics = map[string]*topic{}
	if err := s.parseTemplates(); err != nil {
		return nil, err
	}
	for _, p := range s.pages() {
		s.mux.HandleFunc("GET "+p.path, s.show(p, "base"))
		if !p.still {
			s.live.HandleFunc("GET "+p.path, s.show(p, "content"))
		}
	}
	for _, a := range actions() {
		if s.has(a.path) {
			s.mux.HandleFunc("POST "+a.path, s.act(a))
		}
	}
	for _, r := range resources() {
		if s.has(r.path) {
			s.mux.HandleFunc(r.method+" "+apiRoot+r.path, s.answer(r))
		}
	}
	if o.Project != nil {
		s.reader = feed.Open(o.Project, o.Env)
		s.mux.HandleFunc("GET /money.csv", s.serveMoney)
		s.mux.Handle("GET /metrics", monitor.Metrics(s.now.Load))
	} else {
		close(s.first)
		s.mux.Handle("GET /{$}", http.RedirectHandler(o.Base+fleetRoot, http.StatusSeeOther))
	}
	s.mux.HandleFunc("GET /events", s.events)
	s.mux.HandleFunc("GET /static/", serveAsset)
	// Chromium asks for it at times although every page names its icon.
	s.mux.Handle("GET /favicon.ico", http.RedirectHandler(o.Base+"/static/icon.svg", http.StatusMovedPermanently))
	s.mux.HandleFunc("GET "+apiRoot+"/openapi.json", serveDescription)
	s.mux.HandleFunc("/", s.missing)
	return s, nil
}

// fleetRoot is what the addresses of a fleet begin with.
const fleetRoot = "/fleet"

// has tells whether this server has an address: without a project, only what is the fleet's
// or no one's.
func (s *Server) has(path string) bool {
	return s.Project != nil || strings.HasPrefix(path, fleetRoot) || path == "/session"
}

// refresh is how often pages are rendered again when nothing was noticed: time passes.
const refresh = time.Minute

// Follow keeps the pages up to date until the context is done.
func (s *Server) Follow(ctx context.Context) {
	var once sync.Once
	if s.Fleet != nil {
		go s.followFleet(ctx)
	}
	go func() {
		tick := time.NewTicker(refresh)
		defer tick.Stop()
		for {
			if s.Project != nil {
				s.askReady(ctx)
			}
			s.publish()
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	if s.reader == nil {
		<-ctx.Done()
		return
	}
	s.reader.Follow(ctx, func(f *feed.Feed, err error) {
		if err != nil {
			s.broken.Store(&err)
		} else {
			s.broken.Store(nil)
			s.now.Store(f)
		}
		once.Do(func() { close(s.first) })
		s.publish()
	})
}

// Feed is what there is now.
func (s *Server) Feed(ctx context.Context) (*feed.Feed, error) {
	select {
	case <-s.first:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f := s.now.Load(); f != nil {
		return f, nil
	}
	if err := s.broken.Load(); err != nil {
		return nil, *err
	}
	return &feed.Feed{}, nil
}

// ServeHTTP answers a request that Door has let in.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }
