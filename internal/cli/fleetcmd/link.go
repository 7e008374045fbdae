package fleetcmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"

	"warp/internal/cli/app"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// link is how a command reaches its fleet.
type link struct {
	connect.Options
	fleet string
}

// addFlags adds the flags that say where the fleet is.
func (l *link) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.fleet, "fleet", "fleet", "the fleet's name")
	f.StringVar(&l.Address, "connect", "", "the Temporal server, HOST:PORT; of several nodes HOST:PORT,HOST:PORT, and one that is down is passed over; without: TEMPORAL_ADDRESS, or 127.0.0.1:7233")
	f.StringVar(&l.Namespace, "namespace", "", "its namespace; without: TEMPORAL_NAMESPACE, or default")
	f.StringVar(&l.APIKey, "api-key-file", "", "a file with the API key; without: TEMPORAL_API_KEY")
	f.BoolVar(&l.TLS, "tls", false, "connect with TLS")
	f.StringVar(&l.CA, "tls-ca", "", "certificates that the server's must be signed by")
	f.StringVar(&l.Cert, "tls-cert", "", "this machine's certificate")
	f.StringVar(&l.Key, "tls-key", "", "the key of this machine's certificate")
	f.StringVar(&l.ServerName, "tls-server-name", "", "the name in the server's certificate")
	f.StringVar(&l.File, "temporal-config", "", "Temporal's temporal.toml; without: where Temporal looks for it")
	f.StringVar(&l.Profile, "temporal-profile", "", "the profile in it")
	f.StringVar(&l.Options.Fleet, "key", "", "the fleet's key file; without: FLEET.key in warp-fleet's folder")
}

// folder keeps what a fleet has on this machine: its key, its server's database, clones.
func folder() (string, error) {
	if dir := os.Getenv("WARP_FLEET_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share", "warp-fleet"), nil
}

// complete fills in what depends on this machine.
func (l *link) complete() (dir string, err error) {
	if dir, err = folder(); err != nil {
		return "", err
	}
	if l.Options.Fleet == "" {
		l.Options.Fleet = filepath.Join(dir, l.fleet+".key")
	}
	if l.APIKey != "" {
		text, err := os.ReadFile(l.APIKey)
		if err != nil {
			return "", fmt.Errorf("read the API key: %w", err)
		}
		l.APIKey = string(trimSpace(text))
	}
	return dir, nil
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r' || b[len(b)-1] == ' ') {
		b = b[:len(b)-1]
	}
	return b
}

// dial connects, quietly unless something is wrong.
func (l *link) dial(ctx context.Context, identity string) (*connect.Link, *slog.Logger, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	c, err := connect.Dial(ctx, l.Options, identity, log)
	return c, log, err
}

// with runs fn with a connection to the fleet.
func (l *link) with(fn func(ctx context.Context, c *connect.Link, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if _, err := l.complete(); err != nil {
			return err
		}
		c, _, err := l.dial(cmd.Context(), person())
		if err != nil {
			return err
		}
		defer c.Close()
		return explain(l.fleet, fn(cmd.Context(), c, args))
	}
}

// explain says in plain words what the server means.
func explain(fleet string, err error) error {
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return fmt.Errorf("there is no fleet %q on this server, or it does not know what you named: start one with warp-fleet up", fleet)
	}
	return err
}

// person is who gives an order.
func person() string {
	host, _ := os.Hostname()
	user := os.Getenv("USER")
	if user == "" {
		user = "someone"
	}
	return user + "@" + host
}

// status asks the fleet for everything it knows.
func (l *link) status(ctx context.Context, c *connect.Link) (s flow.FleetStatus, err error) {
	v, err := c.QueryWorkflow(ctx, flow.FleetID(l.fleet), "", flow.Status)
	if err != nil {
		return s, err
	}
	return s, v.Get(&s)
}

// requirements are the arguments of commands that name some.
func requirements(list []string) error {
	for _, s := range list {
		if !validRequirement(s) {
			return &app.UsageError{Err: fmt.Errorf("%q is not a requirement: name it as repository#issue", s)}
		}
	}
	return nil
}
