package gateway

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// opened is a gateway before a server that stands for every host.
func opened(t *testing.T, server *httptest.Server, o Options) (*Gateway, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var refused []string
	o.Refused = func(host string) { mu.Lock(); defer mu.Unlock(); refused = append(refused, host) }
	o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}
	dir, err := os.MkdirTemp("/tmp", "gate-") // the name of a socket is short
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	o.Proxy = "proxy.sock"
	g, err := Open(dir, o)
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return g, func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(refused) }
}

// through is a client whose proxy is a gateway's socket.
func through(g *Gateway, server *httptest.Server) *http.Client {
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(g.dir, "proxy.sock"))
	}
	transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:3128"})
	return &http.Client{Transport: transport}
}

func TestOnlyAllowedHostsAreReached(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "hello "+r.URL.Path) }))
	defer server.Close()
	g, refused := opened(t, server, Options{Hosts: []string{"example.com", "*.example.com"}})
	client := through(g, server)
	for _, host := range []string{"example.com", "api.example.com"} {
		res, err := client.Get("https://" + host + "/x")
		if err != nil && !strings.Contains(err.Error(), "certificate") {
			t.Fatal(err)
		}
		if err == nil {
			text, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if string(text) != "hello /x" {
				t.Errorf("%q", text)
			}
		}
	}
	for range 2 {
		if res, err := client.Get("https://evil.invalid/"); err == nil {
			t.Errorf("it was reached: %d", res.StatusCode)
		}
	}
	if have := refused(); !slices.Equal(have, []string{"evil.invalid"}) {
		t.Errorf("refused: %q", have)
	}
}

func TestWhatIsAllowed(t *testing.T) {
	o := Options{Hosts: []string{"api.test", "*.pkg.test", "dev.test:8080"}}
	for address, want := range map[string]bool{
		"api.test:443": true, "API.test:80": true, "api.test.:443": true, "api.test:22": false, "x.api.test:443": false,
		"a.pkg.test:443": true, "pkg.test:443": false, "evilpkg.test:443": false, "dev.test:8080": true, "dev.test:443": false,
		"127.0.0.1:443": false, "api.test": false, "": false,
	} {
		if have := o.allowed(address); have != want {
			t.Errorf("%s: %v", address, have)
		}
	}
}

// The key is added outside: what the agent sent instead does not arrive.
func TestTheKeyStaysOutside(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path+" "+r.Header.Get("X-Api-Key"))
	}))
	defer server.Close()
	base, err := url.Parse(server.URL + "/v9")
	must(t, err)
	g, _ := opened(t, server, Options{APIs: []API{{Socket: "api.sock", Base: base, Header: http.Header{"X-Api-Key": {"real"}}}}})
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(g.dir, "api.sock"))
	}}}
	req, err := http.NewRequest("GET", "http://127.0.0.1:1/messages", nil)
	must(t, err)
	req.Header.Set("X-Api-Key", "dummy")
	res, err := client.Do(req)
	must(t, err)
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); string(text) != "/v9/messages real" {
		t.Errorf("%q", text)
	}
}

func TestPlainRequestsAndNonsense(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "plain") }))
	defer server.Close()
	g, refused := opened(t, server, Options{Hosts: []string{"registry.test"}})
	client := through(g, server)
	for address, want := range map[string]int{"http://registry.test/a": 200, "http://other.test/a": 403} {
		res, err := client.Get(address)
		must(t, err)
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d", address, res.StatusCode)
		}
	}
	if have := refused(); !slices.Equal(have, []string{"other.test"}) {
		t.Errorf("refused: %q", have)
	}
	c, err := net.Dial("unix", filepath.Join(g.dir, "proxy.sock"))
	must(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
	must(t, err)
	if text, _ := io.ReadAll(c); !strings.Contains(string(text), "400") {
		t.Errorf("%q", text)
	}
	must(t, g.Close())
	if _, err := net.Dial("unix", filepath.Join(g.dir, "proxy.sock")); err == nil {
		t.Error("it is still open")
	}
}
