// Package wire decides where secrets may be sent. It is separate from redact, which the hook links:
// the packages that parse addresses build tables at every start.
package wire

import (
	"net/netip"
	"net/url"
)

// MayCarrySecrets reports whether what is sent to a URL is unreadable on the way.
func MayCarrySecrets(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()))
}

// isLoopback reports whether a host is this machine, by its address: a name such as
// 127.evil.example is not.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
