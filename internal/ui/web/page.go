package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// page is one page. Its template is a file in templates that defines "content", rendered again
// on every change, and optionally "after", rendered once. The Content-Security-Policy forbids
// inline styles and scripts.
type page struct {
	path     string // a pattern of http.ServeMux
	title    string
	template string
	nav      bool // listed in the navigation
	still    bool // never rendered again
	fleet    bool // exists only with a fleet
	data     func(*Server, *http.Request) (any, error)
}

func pages() []page {
	return []page{
		{path: "/{$}", title: "Tonight", template: "tonight", nav: true, data: onFeed(tonight)},
		{path: "/inbox", title: "Inbox", template: "inbox", nav: true, data: onFeed(inboxPage)},
		{path: "/money", title: "Money", template: "money", nav: true, data: onFeed(moneyPage)},
		{path: "/history", title: "History", template: "history", nav: true, data: onFeed(history)},
		{path: "/health", title: "Health", template: "health", nav: true, still: true, data: healthPage},
		{path: "/issue/{issue}", title: "Issue", template: "issue", data: onFeed(issuePage)},
		{path: "/issue/{issue}/diff/{commit}", title: "Diff", template: "diff", still: true, data: onFeed(diffPage)},
		{path: "/issue/{issue}/run/{run}", title: "Transcript", template: "log", still: true, data: onFeed(runPage)},
		{path: "/issue/{issue}/test/{test}", title: "Output of the tests", template: "log", still: true, data: onFeed(testPage)},
		{path: "/run/{kind}/{name}", title: "Work", template: "work", data: onFeed(workPage)},
		{path: "/fleet", title: "Fleet", template: "fleet", nav: true, fleet: true, data: fleetPage},
		{path: "/fleet/{repo}/{issue}", title: "Requirement", template: "requirement", fleet: true, data: requirementPage},
	}
}

// pages returns the pages of this server.
func (s *Server) pages() []page {
	return slices.DeleteFunc(pages(), func(p page) bool { return p.fleet && s.Fleet == nil || !s.servesPath(p.path) })
}

// view is the data passed to templates.
type view struct {
	Title     string
	Heading   string // defaults to the title
	Path      string // relative to Base
	Base      string
	Project   string
	Alone     bool // a fleet without a project
	Nav       []link
	Others    []Place
	CSRF      string
	Control   bool
	Live      bool
	Now       time.Time
	Questions int
	Notes     []string
	Said      *buttonResult // result of the last button
	Data      any
}

type link struct {
	Title, Path string
	Here        bool
}

// titled is page data that sets the page's title.
type titled interface{ pageTitle() string }

// notFound is an error that becomes a 404.
type notFound struct{ what string }

func (e *notFound) Error() string { return e.what }

// show returns the handler of a page, or of one block of it.
func (s *Server) show(p page, block string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := p.data(s, r)
		if err != nil {
			code := http.StatusInternalServerError
			if missing := new(notFound); errors.As(err, &missing) {
				code = http.StatusNotFound
			}
			s.fail(w, r, code, err)
			return
		}
		v := s.view(r, p.title, data)
		v.Live = !p.still
		s.render(w, http.StatusOK, p.template, block, v)
	}
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, code int, err error) {
	s.render(w, code, "error", "base", s.view(r, http.StatusText(code), err.Error()))
}

func (s *Server) missing(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, apiRoot+"/") {
		writeJSON(w, http.StatusNotFound, problem{"there is no such address"})
		return
	}
	s.fail(w, r, http.StatusNotFound, errors.New("there is no such page"))
}

func (s *Server) view(r *http.Request, title string, data any) view {
	v := view{Title: title, Path: withoutSaid(r.URL), Base: s.Base, Others: s.Others, CSRF: s.CSRF, Control: s.Control, Now: s.Env.Now(), Project: "fleet", Alone: s.Project == nil, Data: data}
	if t, ok := data.(titled); ok {
		v.Title = t.pageTitle()
	}
	if f := s.now.Load(); f != nil {
		v.Project, v.Notes, v.Questions = f.Project, f.Notes, len(f.Questions)
	}
	for _, p := range s.pages() {
		if p.nav {
			path := strings.TrimSuffix(p.path, "{$}")
			v.Nav = append(v.Nav, link{p.title, path, path == r.URL.Path})
		}
	}
	v.Said = s.said.take(r.URL.Query().Get("said"))
	return v
}

// withoutSaid returns the address without the said parameter, so that all viewers of a page
// share its updates.
func withoutSaid(u *url.URL) string {
	q := u.Query()
	if !q.Has("said") {
		return u.RequestURI()
	}
	q.Del("said")
	return (&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: q.Encode()}).RequestURI()
}

// render buffers the page before sending it: half a page helps no one.
func (s *Server) render(w http.ResponseWriter, code int, name, block string, v view) {
	var b bytes.Buffer
	if err := s.templates[name].ExecuteTemplate(&b, block, v); err != nil {
		http.Error(w, fmt.Sprintf("rendering the page: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes()) // the reader may be gone
}

// parseTemplates parses one template set per page, each with the shared parts.
func (s *Server) parseTemplates() error {
	s.templates = map[string]*template.Template{}
	names := map[string]bool{"error": true}
	for _, p := range pages() {
		names[p.template] = true
	}
	for name := range names {
		t, err := template.New(name).Funcs(functions).ParseFS(assets, "templates/base.html", "templates/parts.html", "templates/"+name+".html")
		if err != nil {
			return fmt.Errorf("reading the page %s: %w", name, err)
		}
		boundWords(t)
		s.templates[name] = t
	}
	return nil
}

// fragment renders the part of a page that changes.
func (s *Server) fragment(path string) ([]byte, bool) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
	if err != nil {
		return nil, false
	}
	var b responseBuffer
	s.live.ServeHTTP(&b, r)
	return b.Bytes(), b.code == http.StatusOK
}

// responseBuffer is an http.ResponseWriter that keeps the response in memory.
type responseBuffer struct {
	bytes.Buffer
	code   int
	header http.Header
}

func (m *responseBuffer) Header() http.Header {
	if m.header == nil {
		m.header = http.Header{}
	}
	return m.header
}

func (m *responseBuffer) WriteHeader(code int) { m.code = code }
