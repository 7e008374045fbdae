package devserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
)

// tailnet is the shared address space of Tailscale and carriers (RFC 6598).
var tailnet = netip.MustParsePrefix("100.64.0.0/10")

// CheckIP refuses addresses that strangers could reach: the server has no password.
func CheckIP(text string) error {
	ip, err := netip.ParseAddr(text)
	if err == nil && (ip.IsLoopback() || ip.IsPrivate() || tailnet.Contains(ip)) {
		return nil
	}
	return fmt.Errorf("the server cannot listen on %q: it asks for no password, so name this machine's address in a private network (10.…, 192.168.…, a WireGuard or Tailscale address)", text)
}

// Forward passes connections from an address to the server until the context ends. The server
// itself stays on loopback: elsewhere its internal ports would be open too, and those of version
// 1.5.1 do not find each other there.
func (s Server) Forward(ctx context.Context, from string) error {
	l, err := net.Listen("tcp", from)
	if err != nil {
		return fmt.Errorf("listen for other machines: %w", err)
	}
	context.AfterFunc(ctx, func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.pass(ctx, c)
		}
	}()
	return nil
}

func (s Server) pass(ctx context.Context, from net.Conn) {
	var d net.Dialer
	to, err := d.DialContext(ctx, "tcp", s.Address())
	if err != nil {
		_ = from.Close()
		return
	}
	end := sync.OnceFunc(func() {
		_ = from.Close()
		_ = to.Close()
	})
	stop := context.AfterFunc(ctx, end)
	defer stop()
	go func() {
		defer end()
		_, _ = io.Copy(to, from)
	}()
	_, _ = io.Copy(from, to)
	end()
}
