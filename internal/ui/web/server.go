// Package web shows a project in a browser: server-rendered pages, a JSON API, and live updates
// as server-sent events. All assets are embedded.
//
// It reads the feed and decides nothing: a button runs the command line a person would type and
// shows its output. Door alone decides who may connect.
package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"html/template"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/monitor"
	"warp/internal/ui/plot"
)

//go:embed templates static openapi.json
var assets embed.FS

// Options configure the Server of a project.
type Options struct {
	Project *turnstile.Drive // nil: only the fleet is shown
	Env     turnstile.Env
	Base    string // path prefix; may be empty
	Others  []Place
	Control bool   // allow changes: answer, pause, stop, …
	CSRF    string // token in every form; generated if empty
	// Warp runs a warp command line in a work tree.
	Warp  func(ctx context.Context, root string, args ...string) Said
	Fleet *Fleet // nil if no fleet is shown
	// Join records that a person has a page open, until leave is called; may be nil.
	Join func() (leave func(), err error)
}

// Place is another project on the same server.
type Place struct{ Name, Base string }

// Said is the output of a command and its exit code.
type Said struct {
	Out  []byte `json:"-"` // stdout only
	Text string `json:"text"`
	Code int    `json:"code"`
}

// Server shows one project. All pages share one feed reader, and a changed page is rendered once
// for all its viewers.
type Server struct {
	Options
	reader    *feed.Reader
	now       atomic.Pointer[feed.Feed]
	broken    atomic.Pointer[error] // why reading the feed failed
	templates map[string]*template.Template
	mux       *http.ServeMux
	live      *http.ServeMux // pages with live updates
	hub       hub
	said      resultStore
	first     chan struct{} // closed after the first read of the feed
	health    health
	ready     atomic.Pointer[[]feed.ApprovedIssue]
	fleet     fleet
}

// New returns the server of a project. It shows nothing until Follow runs.
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
		if s.servesPath(a.path) {
			s.mux.HandleFunc("POST "+a.path, s.act(a))
		}
	}
	for _, r := range resources() {
		if s.servesPath(r.path) {
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
	// Chromium sometimes requests it although every page names its icon.
	s.mux.Handle("GET /favicon.ico", http.RedirectHandler(o.Base+"/static/icon.svg", http.StatusMovedPermanently))
	s.mux.HandleFunc("GET "+apiRoot+"/openapi.json", serveDescription)
	s.mux.HandleFunc("/", s.missing)
	return s, nil
}

// fleetRoot is the path prefix of fleet pages.
const fleetRoot = "/fleet"

// servesPath reports whether this server has an address: all with a project, else only the
// fleet's and /session.
func (s *Server) servesPath(path string) bool {
	return s.Project != nil || strings.HasPrefix(path, fleetRoot) || path == "/session"
}

// refresh is how often pages render without a change, since they show elapsed times.
const refresh = time.Minute

// Follow keeps the pages up to date until ctx is done.
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

// Feed returns the current feed. It waits for the first read.
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

// onFeed passes the current feed to a page, an answer of the API or a button.
func onFeed[T any](do func(*Server, *feed.Feed, *http.Request) (T, error)) func(*Server, *http.Request) (T, error) {
	return func(s *Server, r *http.Request) (none T, err error) {
		f, err := s.Feed(r.Context())
		if err != nil {
			return none, err
		}
		return do(s, f, r)
	}
}

// ServeHTTP answers a request that Door admitted.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// contentTypes maps the extension of an asset to its content type.
var contentTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/static/")
	text, err := assets.ReadFile("static/" + name)
	if name == "plot.css" { // the plots have it
		text, err = []byte(plot.Style), nil
	}
	if err != nil {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}
