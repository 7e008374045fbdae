//go:build linux

package redteam

import (
	"net"
	"path/filepath"
	"slices"
	"sync"
)

// listen opens a port of this machine that no settings allow, over TCP and UDP, and
// a socket beside the project; it keeps what is sent to them.
func (c *cell) listen() {
	c.t.Helper()
	var mu sync.Mutex
	var heard []string
	keep := func(what string) { mu.Lock(); defer mu.Unlock(); heard = append(heard, what) }
	c.heard = func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(heard) }
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		c.t.Fatal(err)
	}
	c.port = tcp.Addr().(*net.TCPAddr).Port
	udp, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: c.port})
	if err != nil {
		tcp.Close()
		c.listen() // another has that port over UDP
		return
	}
	unix, err := net.Listen("unix", filepath.Join(c.dir, "outside.sock"))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { tcp.Close(); udp.Close(); unix.Close() })
	for _, l := range []net.Listener{tcp, unix} {
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				keep("a connection over " + l.Addr().Network())
				conn.Close()
			}
		}()
	}
	go func() {
		packet := make([]byte, 2048)
		for {
			n, err := udp.Read(packet)
			if err != nil {
				return
			}
			keep("a packet: " + string(packet[:n]))
		}
	}()
}
