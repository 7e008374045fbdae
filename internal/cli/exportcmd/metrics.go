package exportcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/monitor"
)

// NewMetrics returns warp metrics.
func NewMetrics(a *app.App) *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "metrics",
		Short: "Print figures for Prometheus, or serve them",
		Long: `Print figures about the project's drives and sessions in the format of Prometheus:
ends, phases, runs, tokens, money, waits, interventions, what runs now. With --listen
serve them at /metrics until it is interrupted; only this machine can reach them, so
put a proxy in front where Prometheus runs elsewhere. Everything is counted from the
journal: nothing is lost while it is not running.`,
		Example: "  warp metrics | grep warp_cost\n  warp metrics --listen 127.0.0.1:9464",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			reader := feed.Open(d, a.Env)
			if listen != "" {
				return serve(ctx, a, reader, listen)
			}
			f, err := reader.Read()
			if err != nil {
				return err
			}
			a.Notes(f.Notes)
			return monitor.Write(a.Out, f)
		}),
	}
	c.Flags().StringVar(&listen, "listen", "", "serve at this address of this machine, such as 127.0.0.1:9464")
	return c
}

func serve(ctx context.Context, a *app.App, reader *feed.Reader, address string) error {
	if err := checkLoopback(address); err != nil {
		return app.WrongUsage("--listen %q: %w", address, err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serving metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", monitor.Metrics(readOneByOne(reader)))
	s := &http.Server{Handler: onlyFor(l.Addr().String(), mux), ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute}
	a.Printf("Metrics are at http://%s/metrics; interrupt to end.\n", l.Addr())
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving metrics: %w", err)
	}
	return nil
}

// readOneByOne makes a reader safe for concurrent use.
func readOneByOne(reader *feed.Reader) func() *feed.Feed {
	var mu sync.Mutex
	return func() *feed.Feed {
		mu.Lock()
		defer mu.Unlock()
		f, err := reader.Read()
		if err != nil {
			return nil
		}
		return f
	}
}

func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return errors.New("it is not an address; write 127.0.0.1:9464")
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return errors.New("other machines could read the figures; listen on 127.0.0.1 and put a proxy in front")
	}
	return nil
}

// onlyFor answers only requests that name this machine: a web page could make its own name
// resolve to it.
func onlyFor(address string, next http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(address) // a listener's address is valid
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != address && r.Host != "localhost:"+port {
			http.Error(w, "this server answers to "+address+" alone", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
