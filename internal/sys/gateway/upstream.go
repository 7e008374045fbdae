package gateway

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// upstream returns the proxy that the engine itself must use for a request, nil if none. It follows
// HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case; the loopback is reached directly.
func (g *Gateway) upstream(r *http.Request) (*url.URL, error) {
	if g.o.Upstream != nil {
		return g.o.Upstream(r)
	}
	proxy, err := http.ProxyFromEnvironment(r)
	if err != nil {
		err = errProxy
	}
	return proxy, err
}

// reach connects to a host for CONNECT, through the upstream proxy if there is one.
func (g *Gateway) reach(ctx context.Context, address string) (net.Conn, error) {
	scheme := "https"
	if strings.HasSuffix(address, ":80") {
		scheme = "http"
	}
	proxy, err := g.upstream(&http.Request{URL: &url.URL{Scheme: scheme, Host: address}})
	if err != nil {
		return nil, err
	}
	if proxy == nil {
		return g.o.Dial(ctx, "tcp", address)
	}
	ports := map[string]string{"http": "80", "https": "443"}
	port, known := ports[proxy.Scheme]
	if !known {
		return nil, fmt.Errorf("the environment names a proxy of type %q: only http and https are supported", proxy.Scheme)
	}
	if proxy.Port() != "" {
		port = proxy.Port()
	}
	c, err := g.o.Dial(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("the proxy of the environment: %w", err)
	}
	if proxy.Scheme == "https" {
		c = tls.Client(c, &tls.Config{ServerName: proxy.Hostname(), MinVersion: tls.VersionTLS12})
	}
	through, err := ask(c, proxy, address)
	if err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("the proxy %s: %w", proxy.Host, err)
	}
	return through, nil
}

// errProxy leaves out the address, which may contain a password.
var errProxy = errors.New("the address of the environment's proxy is not valid")

// ask asks a proxy to connect to an address.
func ask(c net.Conn, proxy *url.URL, address string) (net.Conn, error) {
	if err := c.SetDeadline(time.Now().Add(dialTime)); err != nil {
		return nil, err
	}
	q := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{"User-Agent": {""}}}
	if u := proxy.User; u != nil {
		password, _ := u.Password()
		q.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.Username()+":"+password)))
	}
	if err := q.Write(c); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(c, maxHeader)
	a, err := http.ReadResponse(r, q)
	if err != nil {
		return nil, err
	}
	if a.StatusCode != http.StatusOK { // its body ends with the connection
		return nil, fmt.Errorf("it does not connect to %s: %s", address, a.Status)
	}
	return &begun{c, r}, c.SetDeadline(time.Time{})
}

// begun is a connection from which some bytes were already buffered.
type begun struct {
	net.Conn
	first *bufio.Reader
}

func (b *begun) Read(p []byte) (int, error) { return b.first.Read(p) }

// CloseWrite closes the writing side.
func (b *begun) CloseWrite() error {
	if half, ok := b.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
