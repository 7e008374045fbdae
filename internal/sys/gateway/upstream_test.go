package gateway

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"warp/internal/sys/sandbox"
)

// company is a proxy that leads everywhere to one server, and keeps what it was asked.
type company struct {
	mu    sync.Mutex
	asked []string
	to    string
}

func (p *company) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host)
	p.mu.Unlock()
	if r.Header.Get("Proxy-Authorization") != "Basic bWU6czNjcmV0" { // me:s3cret
		http.Error(w, "who are you", http.StatusProxyAuthRequired)
		return
	}
	if r.Method != http.MethodConnect {
		_, _ = io.WriteString(w, "by the company: "+r.URL.String()+" "+r.Header.Get("X-Api-Key"))
		return
	}
	out, err := net.Dial("tcp", p.to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	in, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer in.Close()
	defer out.Close()
	_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
	sandbox.Join(&begun{in, buffered.Reader}, out)
}

func (p *company) wasAsked() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.asked, ", ")
}

func newCompany(t *testing.T, to string) (*company, *url.URL) {
	t.Helper()
	p := &company{to: to}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	must(t, err)
	u.User = url.UserPassword("me", "s3cret")
	return p, u
}

// gate is a gateway that dials as it would, but for its upstream.
func gate(t *testing.T, o Options) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "gate-")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	o.Proxy = "proxy.sock"
	g, err := Open(dir, o)
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return dir
}

// connect asks the gateway to connect, says a line and returns what comes back.
func connect(t *testing.T, dir, address string) string {
	t.Helper()
	c, err := net.Dial("unix", filepath.Join(dir, "proxy.sock"))
	must(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "CONNECT "+address+" HTTP/1.1\r\nHost: "+address+"\r\n\r\n")
	must(t, err)
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, &http.Request{Method: http.MethodConnect})
	must(t, err)
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return res.Status + ": " + strings.TrimSpace(string(text))
	}
	_, err = io.WriteString(c, "hello\n")
	must(t, err)
	line, err := r.ReadString('\n')
	must(t, err)
	return strings.TrimSpace(line)
}

func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.WriteString(c, "heard "); _, _ = io.Copy(c, c) }()
		}
	}()
	return l.Addr().String()
}

// Behind a company's proxy everything goes through it, with its login.
func TestThroughACompanysProxy(t *testing.T) {
	p, proxy := newCompany(t, echo(t))
	base, err := url.Parse("http://api.invalid/v1")
	must(t, err)
	dir := gate(t, Options{Hosts: []string{"host.invalid", "registry.invalid"}, Upstream: http.ProxyURL(proxy), APIs: []API{{Socket: "api.sock", Base: base, Header: http.Header{"X-Api-Key": {"real"}}}}})
	if have := connect(t, dir, "host.invalid:443"); have != "heard hello" {
		t.Error(have)
	}
	if have := connect(t, dir, "evil.invalid:443"); !strings.HasPrefix(have, "403") {
		t.Error(have)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(dir, "api.sock"))
	}}}
	res, err := client.Get("http://127.0.0.1:1/messages")
	must(t, err)
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); string(text) != "by the company: http://api.invalid/v1/messages real" {
		t.Errorf("%q", text)
	}
	if have := p.wasAsked(); have != "CONNECT host.invalid:443, GET api.invalid" {
		t.Error(have)
	}
	proxy.User = url.UserPassword("me", "wrong")
	if have := connect(t, dir, "host.invalid:443"); !strings.Contains(have, "407") || strings.Contains(have, "wrong") {
		t.Error(have)
	}
	proxy.Scheme = "gopher"
	if have := connect(t, dir, "host.invalid:443"); !strings.Contains(have, `of type "gopher"`) {
		t.Error(have)
	}
}

// The environment says which proxy it is, in either case, and which hosts are not its.
func TestTheProxyOfTheEnvironment(t *testing.T) {
	if to := os.Getenv("GATEWAY_TEST_ECHO"); to != "" { // the variables are read once for each process
		dir := gate(t, Options{Hosts: []string{"host.invalid", "direct.invalid", to}})
		t.Logf("\nsaid: %s\nsaid: %s\nsaid: %.3s", connect(t, dir, "host.invalid:443"), connect(t, dir, to), connect(t, dir, "direct.invalid:443"))
		return
	}
	for _, names := range [][]string{{"HTTPS_PROXY", "NO_PROXY"}, {"https_proxy", "no_proxy"}} {
		to := echo(t)
		p, proxy := newCompany(t, to)
		cmd := exec.Command(os.Args[0], "-test.run=^TestTheProxyOfTheEnvironment$", "-test.v")
		cmd.Env = append([]string{"GATEWAY_TEST_ECHO=" + to}, names[0]+"="+proxy.String(), names[1]+"=direct.invalid", "GOCOVERDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		must(t, err)
		var said []string
		for line := range strings.Lines(string(out)) {
			if _, text, ok := strings.Cut(line, "said: "); ok {
				said = append(said, strings.TrimSpace(text))
			}
		}
		if have := strings.Join(said, ", "); have != "heard hello, heard hello, 502" || p.wasAsked() != "CONNECT host.invalid:443" {
			t.Errorf("%q; the proxy was asked %q\n%s", have, p.wasAsked(), out)
		}
	}
}
