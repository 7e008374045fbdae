package webcmd

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/sys/proc"
	"warp/internal/ui/web"
)

// How long a browser may take to send a request, and how long a connection may stay idle.
const (
	readTime = 10 * time.Second
	idleTime = 2 * time.Minute
)

// names returns the host names from --listen and the certificate.
func (o options) names() (list []string) {
	if net.ParseIP(o.listen) == nil {
		list = append(list, strings.ToLower(o.listen))
	}
	if o.cert == "" {
		return list
	}
	if pair, err := tls.LoadX509KeyPair(o.cert, o.key); err == nil && pair.Leaf != nil { // serving reports errors
		for _, name := range pair.Leaf.DNSNames {
			list = append(list, strings.ToLower(name))
		}
	}
	return list
}

// host returns the host name for the printed address.
func (o options) host() string {
	if ip := net.ParseIP(o.listen); ip != nil && ip.IsUnspecified() {
		return "localhost"
	}
	return o.listen
}

// printAddresses prints the first address, opens it, and prints a new one for each line typed.
func printAddresses(ctx context.Context, a *app.App, o options, door *web.Door, port string) {
	address := func() string {
		return o.scheme() + "://" + net.JoinHostPort(o.host(), port) + "/?code=" + door.NewCode()
	}
	first := address()
	a.Notes(o.warnings())
	a.Printf("%s\n", first)
	if !o.noOpen {
		openBrowser(ctx, a, first)
	}
	if !a.Terminal {
		return
	}
	a.Note("the address lets one browser in, once: press Enter for another; Ctrl+C ends the server")
	go func() {
		for lines := bufio.NewScanner(a.In); lines.Scan() && ctx.Err() == nil; {
			a.Printf("%s\n", address())
		}
	}()
}

// warnings explains the risks of the options.
func (o options) warnings() (list []string) {
	if !o.private() {
		list = append(list, "other machines can reach this: anyone with the token or an address with a code can read issues, code and what agents said")
		if o.control {
			list = append(list, "with --allow-control they can also answer, retry and stop")
		}
		if o.cert == "" {
			list = append(list, "without --cert the token and the pages can be intercepted: use it in a network that you trust, or through a tunnel")
		}
	}
	return list
}

// openers are the programs that open an address, by system.
var openers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

// openBrowser opens a browser if there is a display.
func openBrowser(ctx context.Context, a *app.App, address string) {
	argv, known := openers[runtime.GOOS]
	if !known {
		if a.Getenv("DISPLAY")+a.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
		argv = []string{"xdg-open"}
	}
	argv = append(slices.Clone(argv), address)
	go func() { _, _ = proc.Run(ctx, proc.Cmd{Argv: argv}) }() // the address is printed, so errors do not matter
}
