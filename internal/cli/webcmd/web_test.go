//go:build unix

package webcmd

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/cli/app"
	"warp/internal/engine/person"
	"warp/internal/testkit/gittest"
	"warp/internal/turnstile"
)

// server is warp web, in a project of its own.
type server struct {
	*testing.T
	home, dir string
	said      notes
	client    *http.Client
}

// notes is what it says beside the address.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{T: t, home: gittest.Dir(t), dir: filepath.Join(gittest.Dir(t), "mail")}
	gittest.Must(t, os.MkdirAll(filepath.Join(s.dir, ".claude"), 0o755))
	bin := t.TempDir()
	gittest.Must(t, os.WriteFile(filepath.Join(bin, "warp"), []byte("#!/bin/sh\necho '[]'\n"), 0o755))
	t.Setenv("PATH", bin)
	jar, err := cookiejar.New(nil)
	gittest.Must(t, err)
	s.client = &http.Client{Jar: jar, Transport: &http.Transport{}}
	return s
}

// start runs warp web with flags, and returns the first address that it prints.
func (s *server) start(args ...string) string {
	s.Helper()
	out, in := io.Pipe()
	a := &app.App{In: strings.NewReader(""), Out: in, Err: &s.said, Dir: s.dir, Env: turnstile.System(), Getenv: func(name string) string { return map[string]string{"HOME": s.home}[name] }}
	c := New(a)
	c.SetArgs(append(args, "--no-open"))
	ctx, stop := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() {
		err := c.ExecuteContext(ctx)
		in.CloseWithError(err)
		ended <- err
	}()
	s.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			s.Errorf("warp web ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.Fatalf("%v\n%s", err, s.said.String())
	}
	return strings.TrimSpace(line)
}

func (s *server) get(address string) (int, string) {
	s.Helper()
	r, err := s.client.Get(address)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	gittest.Must(s.T, err)
	return r.StatusCode, string(body)
}

// certify writes a certificate for names, and has the client believe it.
func (s *server) certify(names ...string) (cert, key string) {
	s.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	gittest.Must(s.T, err)
	one := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "warp"}, DNSNames: names, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, one, one, &private.PublicKey, private)
	gittest.Must(s.T, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	gittest.Must(s.T, err)
	cert, key = filepath.Join(s.home, "cert.pem"), filepath.Join(s.home, "key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	gittest.Must(s.T, os.WriteFile(cert, text, 0o600))
	gittest.Must(s.T, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	s.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: names[0]}}
	return cert, key
}

// With a certificate other machines are let in over https: by the code, once, and under
// the names that the certificate has.
func TestPagesOverHTTPS(t *testing.T) {
	s := newServer(t)
	cert, key := s.certify("warp.example", "localhost")
	first := s.start("--listen", "0.0.0.0", "--cert", cert, "--key", key, "--allow-control")
	if said := s.said.String(); !strings.HasPrefix(first, "https://localhost:") || !strings.Contains(said, "other machines can reach this") || !strings.Contains(said, "they can also answer") || strings.Contains(said, "without --cert") {
		t.Errorf("%s\n%s", first, said)
	}
	at, err := url.Parse(first)
	gittest.Must(t, err)
	if code, _ := s.get("https://" + at.Host + "/"); code != http.StatusUnauthorized {
		t.Errorf("without the code: %d", code)
	}
	let, err := s.client.Get(first)
	gittest.Must(t, err)
	gittest.Must(t, let.Body.Close())
	cookies := let.Cookies()
	if let.StatusCode != http.StatusOK || len(cookies) != 1 || !cookies[0].Secure {
		t.Fatalf("%d %v", let.StatusCode, cookies)
	}
	if code, body := s.get("https://" + at.Host + "/"); code != http.StatusOK || !strings.Contains(body, "Tonight") {
		t.Errorf("%d %s", code, body)
	}
	for host, want := range map[string]int{"warp.example": http.StatusOK, "evil.example": http.StatusMisdirectedRequest} {
		r, err := http.NewRequest(http.MethodGet, "https://"+at.Host+"/", nil)
		gittest.Must(t, err)
		r.Host = host + ":" + at.Port()
		r.AddCookie(cookies[0])
		got, err := s.client.Transport.RoundTrip(r)
		gittest.Must(t, err)
		gittest.Must(t, got.Body.Close())
		if got.StatusCode != want || got.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%s: %d %v", host, got.StatusCode, got.Header)
		}
	}
	old := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}}
	if r, err := (&http.Client{Transport: old}).Get("https://" + at.Host + "/"); err == nil {
		_ = r.Body.Close()
		t.Error("TLS 1.1 is spoken")
	}
}

// A token lets scripts in, and says what it means to use one without a certificate.
func TestATokenLetsScriptsIn(t *testing.T) {
	s := newServer(t)
	first := s.start("--listen", "0.0.0.0", "--token", "0123456789abcdef")
	if said := s.said.String(); !strings.Contains(said, "without --cert the token and the pages can be intercepted") {
		t.Error(said)
	}
	at, err := url.Parse(first)
	gittest.Must(t, err)
	for token, want := range map[string]int{"0123456789abcdef": http.StatusOK, "0123456789abcdeX": http.StatusUnauthorized} {
		r, err := http.NewRequest(http.MethodGet, "http://"+at.Host+"/api/v1/items", nil)
		gittest.Must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := s.client.Do(r)
		gittest.Must(t, err)
		gittest.Must(t, got.Body.Close())
		if got.StatusCode != want {
			t.Errorf("%s: %d", token, got.StatusCode)
		}
	}
}

// Without one, nothing is listened on elsewhere.
func TestOthersNeedATokenOrACertificate(t *testing.T) {
	for listen, open := range map[string]bool{"127.0.0.1": true, "::1": true, "localhost": true, "0.0.0.0": false, "::": false, "192.0.2.1": false, "warp.example": false, "": false} {
		if err := (options{listen: listen}).check(); (err == nil) != open {
			t.Errorf("%q: %v", listen, err)
		}
		if err := (options{listen: listen, token: "0123456789abcdef"}).check(); err != nil {
			t.Errorf("%q with a token: %v", listen, err)
		}
	}
}

// All projects of the ledger are on one server, each with its own pages and links.
func TestAllProjectsOfTheLedger(t *testing.T) {
	s := newServer(t)
	other := filepath.Join(gittest.Dir(t), "notes")
	gittest.Must(t, os.MkdirAll(filepath.Join(other, ".claude"), 0o755))
	gittest.Must(t, os.MkdirAll(filepath.Join(s.home, ".claude"), 0o755))
	rows := ""
	for n, root := range []string{s.dir, other, "/gone/away", "relative", other + "/"} {
		rows += `{"ts":"2026-11-14T20:00:00Z","kind":"delta","project":"` + root + `","key":"` + string(rune('a'+n)) + `"}` + "\n"
	}
	gittest.Must(t, os.WriteFile(filepath.Join(s.home, ".claude", "token-usage.jsonl"), []byte(rows), 0o600))
	first := s.start("--all")
	at, err := url.Parse(first)
	gittest.Must(t, err)
	s.get(first)
	home := "http://" + at.Host
	_, page := s.get(home + "/")
	if !strings.Contains(page, `<li><a href="/">mail</a></li><li><a href="/p/1/">notes</a></li></ul>`) {
		t.Errorf("the projects are not listed:\n%s", page)
	}
	code, page := s.get(home + "/p/1/money?days=7")
	for _, want := range []string{"<span>notes</span>", `href="/p/1/inbox"`, `data-live="/p/1/events?page=%2Fmoney%3Fdays%3D7"`, `src="/p/1/static/app.js"`} {
		if code != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("%d, %s is missing in\n%s", code, want, page)
		}
	}
	if code, _ := s.get(home + "/p/2/"); code != http.StatusNotFound {
		t.Errorf("a third project: %d", code)
	}
}

// A person who only looks at a fleet has no project.
func TestAFleetIsShownOutsideOfProjects(t *testing.T) {
	s := newServer(t)
	gittest.Must(t, os.RemoveAll(filepath.Join(s.dir, ".claude")))
	gittest.Must(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "warp-fleet"), []byte("#!/bin/sh\necho '{\"fleet\":\"night-owls\"}'\n"), 0o755))
	first := s.start("--fleet")
	home, _, _ := strings.Cut(first, "?")
	s.get(first)
	for page := ""; !strings.Contains(page, "night-owls"); { // it is there when the program has said it
		code, text := s.get(home)
		if page = text; code != http.StatusOK || !strings.Contains(page, "Fleet") || strings.Contains(page, "Inbox") {
			t.Fatalf("%d\n%s", code, page)
		}
	}
	if code, _ := s.get(home + "inbox"); code != http.StatusNotFound {
		t.Errorf("a project's page outside of projects: %d", code)
	}
}

// A button is its owner's decision, if the server is: an agent that starts one gets no more rights.
func TestButtonsDecideForTheirOwner(t *testing.T) {
	s := newServer(t)
	for name, c := range map[string]struct {
		control bool
		role    string
		decides bool
	}{
		"with control":      {true, "", true},
		"read-only":         {false, "", false},
		"an agent's server": {true, "code", false},
	} {
		env := map[string]string{"HOME": s.home, "WARP_ROLE": c.role}
		a := &app.App{Dir: s.dir, Env: turnstile.System(), Getenv: func(name string) string { return env[name] }}
		environ, err := controlEnviron(a, options{control: c.control})
		gittest.Must(t, err)
		if got := strings.Contains(strings.Join(environ, "\n"), person.Variable+"=wt_"); got != c.decides {
			t.Errorf("%s: decides is %v", name, got)
		}
	}
}
