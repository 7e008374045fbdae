// Package gateway is the only way out of a sandbox: a proxy on Unix sockets that connects only to
// the given hosts, and reports each refusal.
//
// It does not look into encrypted traffic. If an agent lets its API's address be set, its requests
// arrive here unencrypted, on a separate socket, and the gateway adds the key: the sandbox never
// holds it.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/sys/sandbox"
)

// Options configures what is let through.
type Options struct {
	// Hosts may be connected to: a name, or *.name for all below it, either with a port; without
	// one, ports 443 and 80.
	Hosts []string
	// APIs are reached without encryption from inside, each on its own socket.
	APIs []API
	// Ports maps the file names of sockets to loopback ports outside.
	Ports map[string]int
	Proxy string // the file name of the proxy's socket; "" if there is none
	// Refused is called once for each refused host.
	Refused func(host string)
	// Dial connects; nil means over the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Upstream returns the proxy for a request; nil means as the environment says.
	Upstream func(*http.Request) (*url.URL, error)
}

// API is a service whose key stays outside.
type API struct {
	Socket string      // its socket's file name
	Base   *url.URL    // its real address
	Header http.Header // replaces the same header in each request; of several, only those that it has
}

const (
	dialTime   = 30 * time.Second
	headerTime = time.Minute
	maxHeader  = 64 << 10
)

// Gateway is an open gateway.
type Gateway struct {
	dir       string // with its sockets
	o         Options
	servers   []*http.Server
	listeners []net.Listener
	mu        sync.Mutex
	told      map[string]bool
	open      map[net.Conn]bool // connections through the proxy
}

// Open listens on sockets in a folder.
func Open(dir string, o Options) (*Gateway, error) {
	g := &Gateway{dir: dir, o: o, told: map[string]bool{}, open: map[net.Conn]bool{}}
	if g.o.Dial == nil {
		g.o.Dial = (&net.Dialer{Timeout: dialTime}).DialContext
	}
	if o.Proxy != "" {
		if err := g.serve(o.Proxy, http.HandlerFunc(g.proxy)); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	for _, api := range o.APIs {
		if err := g.serve(api.Socket, g.forward(api)); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	for name, port := range o.Ports {
		if err := g.lead(name, port); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

// lead connects a socket to a loopback port.
func (g *Gateway) lead(name string, port int) error {
	l, err := net.Listen("unix", filepath.Join(g.dir, name))
	if err != nil {
		return fmt.Errorf("opening the sandbox's way to port %d: %w", port, err)
	}
	g.listeners = append(g.listeners, l)
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go g.join(in, fmt.Sprintf("127.0.0.1:%d", port))
		}
	}()
	return nil
}

func (g *Gateway) join(in net.Conn, address string) {
	defer in.Close()
	out, err := g.o.Dial(context.Background(), "tcp", address)
	if err != nil {
		return
	}
	defer out.Close()
	for _, c := range []net.Conn{in, out} {
		g.keep(c)
		defer g.drop(c)
	}
	sandbox.Join(in, out)
}

func (g *Gateway) serve(name string, h http.Handler) error {
	l, err := net.Listen("unix", filepath.Join(g.dir, name))
	if err != nil {
		return fmt.Errorf("opening the sandbox's way out: %w", err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: headerTime, MaxHeaderBytes: maxHeader}
	g.servers = append(g.servers, s)
	go func() { _ = s.Serve(l) }() // ends when the gateway is closed
	return nil
}

// Close ends every connection.
func (g *Gateway) Close() error {
	var err error
	for _, s := range g.servers {
		err = errors.Join(err, s.Close())
	}
	for _, l := range g.listeners {
		err = errors.Join(err, l.Close())
	}
	g.mu.Lock()
	for c := range g.open {
		_ = c.Close()
	}
	g.mu.Unlock()
	return err
}

// allowed reports whether a host may be connected to.
func (o Options) allowed(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(o.Hosts, func(rule string) bool {
		name, want, err := net.SplitHostPort(rule)
		if err != nil {
			name, want = rule, ""
		}
		if want != port && (want != "" || port != "443" && port != "80") {
			return false
		}
		name = strings.ToLower(name)
		if below, all := strings.CutPrefix(name, "*."); all {
			return strings.HasSuffix(host, "."+below)
		}
		return host == name
	})
}

// refuse answers a request for a host that is not allowed.
func (g *Gateway) refuse(w http.ResponseWriter, address string) {
	host := strings.TrimSuffix(address, ":443")
	g.mu.Lock()
	first := !g.told[host] && len(g.told) < 1000
	if first {
		g.told[host] = true
	}
	g.mu.Unlock()
	if first && g.o.Refused != nil {
		g.o.Refused(host)
	}
	http.Error(w, "warp: the sandbox blocks "+host+"; sandbox_hosts can allow it", http.StatusForbidden)
}

// proxy handles CONNECT, and requests for a whole URL.
func (g *Gateway) proxy(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		g.connect(w, r)
	case r.URL.IsAbs() && r.URL.Scheme == "http":
		address := r.URL.Host
		if r.URL.Port() == "" {
			address += ":80"
		}
		if !g.o.allowed(address) {
			g.refuse(w, r.URL.Host)
			return
		}
		(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.Out.Header.Del("Proxy-Authorization") }, Transport: g.transport(), FlushInterval: -1}).ServeHTTP(w, r)
	default:
		http.Error(w, "warp: this is a proxy", http.StatusBadRequest)
	}
}

func (g *Gateway) transport() *http.Transport {
	return &http.Transport{DialContext: g.o.Dial, Proxy: g.upstream, DisableKeepAlives: true}
}

func (g *Gateway) connect(w http.ResponseWriter, r *http.Request) {
	if !g.o.allowed(r.Host) {
		g.refuse(w, r.Host)
		return
	}
	out, err := g.reach(r.Context(), r.Host)
	if err != nil {
		http.Error(w, "warp: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer out.Close()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "warp: no connection to take over", http.StatusInternalServerError)
		return
	}
	in, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer in.Close()
	for _, c := range []net.Conn{in, out} {
		g.keep(c)
		defer g.drop(c)
	}
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	sandbox.Join(&begun{in, buffered.Reader}, out)
}

func (g *Gateway) keep(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[c] = true
}

func (g *Gateway) drop(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

// forward passes requests on to an API, with its key.
func (g *Gateway) forward(api API) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(api.Base)
			p.Out.Host = api.Base.Host
			for name, values := range api.Header {
				// An agent with two keys chooses which one it sends.
				if len(api.Header) > 1 && p.In.Header.Get(name) == "" {
					continue
				}
				p.Out.Header[http.CanonicalHeaderKey(name)] = values
			}
		},
		Transport: g.transport(), FlushInterval: -1,
	}
}
