// Package wire tells where secrets may be sent. It is apart from redact, which the hook links:
// what reads addresses makes tables at each start.
package wire

import (
	"net/netip"
	"net/url"
)

// MayCarrySecrets tells whether what is sent to a URL cannot be read on the way.
func MayCarrySecrets(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()))
}

// isLoopback tells whether a host is this machine, by its address: a name such as
// 127.evil.example is not.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
