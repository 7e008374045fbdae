package web

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Door authenticates every request before any other handler sees it. The table in
// docs/how-to/web.md lists what it refuses and why; its test reads that table.
type Door struct {
	Next    http.Handler
	Scheme  string   // http, or https if there is a certificate
	Names   []string // host names of this server, besides IP addresses and localhost
	Private bool     // listens on loopback only, so any other address is foreign
	Port    string
	Token   string // bearer token for scripts and other devices; "" if there is none
	CSRF    string // token that every change must carry

	mu       sync.Mutex
	code     string // one-time login code; "" once used
	sessions []string
}

// policy is the Content-Security-Policy: nothing from other origins, nothing inline, no framing.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// headers are set on every response.
var headers = map[string]string{
	"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
	"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	"Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

// maxBody is the largest request body in bytes.
const maxBody = 64 << 10

// maxSessions is the most browsers logged in at once; the oldest is logged out.
const maxSessions = 50

// NewCode returns a new one-time login code and invalidates the last one.
func (d *Door) NewCode() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.code = rand.Text()
	return d.code
}

// refusal is the response to a request that failed a check.
type refusal struct {
	code int
	why  string
}

// checks run in this order; the first refusal ends the request.
var checks = []func(*Door, *http.Request) *refusal{(*Door).checkHost, (*Door).checkPath, (*Door).checkOrigin, (*Door).checkWho, (*Door).checkCSRF}

func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	if d.Scheme == "https" {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	login := r.Method == http.MethodPost && r.URL.Path == "/login" && d.checkOrigin(r) == nil
	if (login || r.Method == http.MethodGet && r.URL.Query().Has("code")) && d.checkHost(r) == nil {
		d.admit(w, r)
		return
	}
	for _, check := range checks {
		if no := check(d, r); no != nil {
			d.refuse(w, r, no)
			return
		}
	}
	d.Next.ServeHTTP(w, r)
}

// checkHost refuses foreign host names. A page elsewhere can make its own name resolve to this
// machine and then read our responses (DNS rebinding).
func (d *Door) checkHost(r *http.Request) *refusal {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = r.Host, map[string]string{"http": "80", "https": "443"}[d.Scheme]
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	ours := host == "localhost" || slices.Contains(d.Names, host) || ip != nil && (ip.IsLoopback() || !d.Private)
	if !ours || port != d.Port {
		return &refusal{http.StatusMisdirectedRequest, "this server does not answer to the name " + host}
	}
	return nil
}

// checkPath refuses paths with .. and the like; none of ours has any.
func (d *Door) checkPath(r *http.Request) *refusal {
	if slices.Contains(strings.Split(r.URL.Path, "/"), "..") || strings.ContainsAny(r.URL.Path, "\\\x00") {
		return &refusal{http.StatusBadRequest, "no such path"}
	}
	return nil
}

// checkOrigin refuses requests from pages of other origins. A change must carry an Origin.
func (d *Door) checkOrigin(r *http.Request) *refusal {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	foreign := &refusal{http.StatusForbidden, "requests from pages of other servers are refused"}
	if origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != d.Scheme || u.Host != r.Host {
			return foreign
		}
		return nil
	}
	read := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case !read && d.bearer(r) == "":
		return &refusal{http.StatusForbidden, "a change needs the header Origin"}
	case site != "" && site != "same-origin" && site != "none" && r.Header.Get("Sec-Fetch-Mode") != "navigate":
		return foreign
	}
	return nil
}

// checkWho requires a session cookie or the token.
func (d *Door) checkWho(r *http.Request) *refusal {
	if d.isAdmitted(r) {
		return nil
	}
	return &refusal{http.StatusUnauthorized, "not signed in: open the address that warp web printed, or send the token"}
}

func (d *Door) isAdmitted(r *http.Request) bool {
	if t := d.bearer(r); t != "" {
		return d.Token != "" && equalSecrets(t, d.Token)
	}
	c, err := r.Cookie(d.cookieName())
	if err != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.sessions, func(s string) bool { return equalSecrets(s, c.Value) })
}

// checkCSRF requires the token of our own pages with every change.
func (d *Door) checkCSRF(r *http.Request) *refusal {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	given := r.Header.Get("X-CSRF-Token")
	if given == "" {
		given = r.PostFormValue("csrf")
	}
	if !equalSecrets(given, d.CSRF) {
		return &refusal{http.StatusForbidden, "the form is out of date or from another page: reload the page"}
	}
	return nil
}

func (d *Door) bearer(r *http.Request) string {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return token
	}
	return ""
}

// cookieName includes the port: cookies ignore ports, so two servers would log each other out.
func (d *Door) cookieName() string { return "warp-" + d.Port }

// admit exchanges the one-time code, or the token, for a session cookie.
func (d *Door) admit(w http.ResponseWriter, r *http.Request) {
	if !d.takeCode(r.FormValue("code")) {
		d.refuse(w, r, &refusal{http.StatusUnauthorized, "this address was already used, or belongs to another server"})
		return
	}
	session := rand.Text() + rand.Text()
	d.mu.Lock()
	d.sessions = append(d.sessions, session)
	if n := len(d.sessions) - maxSessions; n > 0 {
		d.sessions = d.sessions[n:]
	}
	d.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: d.cookieName(), Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: d.Scheme == "https", MaxAge: int((30 * 24 * time.Hour).Seconds())})
	// A page instead of a redirect: a browser that came from another site does not send a strict
	// cookie with a redirect.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, `<!doctype html><html lang="en"><title>Warp Drive</title><meta http-equiv="refresh" content="0;url=/"><p><a href="/">Continue</a></p></html>`)
}

// takeCode reports whether given is the login code or the token, and uses the code up.
func (d *Door) takeCode(given string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Token != "" && equalSecrets(given, d.Token) {
		return true
	}
	ok := d.code != "" && equalSecrets(given, d.code)
	if ok {
		d.code = ""
	}
	return ok
}

// refuse writes only the reason, as JSON, text or the login page.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, no *refusal) {
	if strings.Contains(r.URL.Path, apiRoot+"/") {
		writeJSON(w, no.code, problem{no.why})
		return
	}
	if no.code == http.StatusUnauthorized {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(no.code)
		fmt.Fprint(w, loginPage)
		return
	}
	http.Error(w, no.why, no.code)
}

const loginPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Warp Drive</title><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>Open the address that warp web printed</h1>
<p>It has a code that lets one browser in, once. Press Enter where warp web runs to get a new address.</p>
<form method="post" action="/login"><p><label>Code or token <input type="password" name="code" autocomplete="off" required></label> <button>Open</button></p></form></main></body></html>
`

func equalSecrets(a, b string) bool {
	return a != "" && subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}
