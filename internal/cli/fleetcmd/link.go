package fleetcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"

	"warp/internal/cli/app"
	"warp/internal/core/fleetfile"
	"warp/internal/durable"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// link is how a command reaches its fleet.
type link struct {
	connect.Options
	fleet      string
	apiKeyFile string
}

func (l *link) addFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.fleet, "fleet", "fleet", "the fleet's name")
	f.StringVar(&l.Address, "connect", "", "the Temporal server, HOST:PORT; several nodes: HOST:PORT,HOST:PORT (nodes that are down are skipped); default: TEMPORAL_ADDRESS, or 127.0.0.1:7233")
	f.StringVar(&l.Namespace, "namespace", "", "its namespace; default: TEMPORAL_NAMESPACE, or the namespace default")
	f.StringVar(&l.apiKeyFile, "api-key-file", "", "a file with the API key; default: TEMPORAL_API_KEY")
	f.BoolVar(&l.TLS, "tls", false, "connect with TLS")
	f.StringVar(&l.CA, "tls-ca", "", "CA certificates for checking the server's certificate")
	f.StringVar(&l.Cert, "tls-cert", "", "this machine's certificate")
	f.StringVar(&l.Key, "tls-key", "", "the key of this machine's certificate")
	f.StringVar(&l.ServerName, "tls-server-name", "", "the name in the server's certificate")
	f.StringVar(&l.File, "temporal-config", "", "Temporal's temporal.toml; default: where Temporal looks for it")
	f.StringVar(&l.Profile, "temporal-profile", "", "the profile in it")
	f.StringVar(&l.Options.Fleet, "key", "", "the fleet's key file; default: FLEET.key in warp-fleet's folder")
}

// folder returns where a fleet's files are on this machine: its key, its server's database,
// clones.
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
	if !fleetfile.IsFolderName(l.fleet) {
		return "", app.WrongUsage("%q cannot be a fleet's name, which is also a file name: use no slash or colon, and no dot at the start", l.fleet)
	}
	if l.Address != "" {
		if err := connect.CheckAddress(l.Address); err != nil {
			return "", app.WrongUsage("--connect: %w", err)
		}
	}
	if dir, err = folder(); err != nil {
		return "", err
	}
	l.Options.Fleet = cmp.Or(l.Options.Fleet, filepath.Join(dir, l.fleet+".key"))
	if l.apiKeyFile != "" {
		if l.APIKey, err = readKey(l.apiKeyFile); err != nil {
			return "", fmt.Errorf("read the API key: %w", err)
		}
	}
	return dir, nil
}

// readKey reads an API key from a file, or from a pipe of a program that knows it.
func readKey(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, mostKey+1))
	key := strings.TrimSpace(string(text))
	if err == nil && (key == "" || len(text) > mostKey) {
		err = fmt.Errorf("%s is empty, or larger than a key", path)
	}
	return key, err
}

// mostKey is the size that an API key may have.
const mostKey = 64 << 10

// dial connects. It discards the SDK's log, since the error holds the same.
func (l *link) dial(ctx context.Context, identity string) (*connect.Link, error) {
	c, err := connect.Dial(ctx, l.Options, identity, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, l.explainUnready(err)
	}
	if err := l.checkKey(ctx, c); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// checkKey refuses a key other than the one the fleet was started with: no one else could decrypt
// what it encrypts. It needs no worker.
func (l *link) checkKey(ctx context.Context, c *connect.Link) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	events := c.GetWorkflowHistory(ctx, flow.FleetID(l.fleet), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	if !events.HasNext() {
		return nil
	}
	first, err := events.Next()
	if err != nil {
		return nil // no fleet yet, or the server is not ready: the command reports it
	}
	var s flow.FleetState
	if err := c.Converter.FromPayloads(first.GetWorkflowExecutionStartedEventAttributes().GetInput(), &s); err != nil {
		return &otherKeyError{l.fleet, l.Options.Fleet}
	}
	return nil
}

// otherKeyError means that the fleet was started with another key.
type otherKeyError struct{ fleet, key string }

func (e *otherKeyError) Error() string {
	return fmt.Sprintf("fleet %q on this server has another key than %s: copy the key from the machine where warp-fleet up made it, or choose another fleet with --fleet", e.fleet, e.key)
}

// dialNew is dial for commands that may start the fleet and create its key. If the fleet already
// runs with a key that is not here, it removes the new one.
func (l *link) dialNew(ctx context.Context, identity string) (*connect.Link, error) {
	made, err := connect.CreateKey(l.Options.Fleet)
	if err != nil {
		return nil, fmt.Errorf("make the fleet's key: %w", err)
	}
	c, err := l.dial(ctx, identity)
	if made && app.IsA[*otherKeyError](err) {
		err = errors.Join(fmt.Errorf("fleet %q runs on this server already, and its key is not here: copy it to %s from the machine where warp-fleet up made it, or choose another fleet with --fleet", l.fleet, l.Options.Fleet),
			durable.RemoveFile(l.Options.Fleet))
	}
	return c, err
}

// explainUnready explains that no server answers.
func (l *link) explainUnready(err error) error {
	if !isUnready(err) {
		return err
	}
	why := strings.TrimRight(err.Error(), `"`)
	why = why[strings.LastIndex(why, ": ")+1:]
	return fmt.Errorf("no Temporal server answers at %s (%s): start one with warp-fleet up, or name another with --connect", cmp.Or(l.Address, os.Getenv("TEMPORAL_ADDRESS"), "127.0.0.1:7233"), strings.TrimSpace(why))
}

// fleet is the fleet a command talks to.
type fleet struct {
	*connect.Link
	name      string
	out, errs io.Writer
	json      bool // print JSON
}

// onFleet turns a function on a fleet into a command.
func onFleet(c *cobra.Command, run func(ctx context.Context, f fleet, args []string) error) *cobra.Command {
	var l link
	l.addFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if _, err := l.complete(); err != nil {
			return err
		}
		conn, err := l.dial(c.Context(), callerName())
		if err != nil {
			return err
		}
		defer conn.Close()
		asJSON, _ := c.Flags().GetBool("json") // most commands lack the flag
		return explain(l.fleet, run(c.Context(), fleet{conn, l.fleet, c.OutOrStdout(), c.ErrOrStderr(), asJSON}, args))
	}
	return c
}

// show prints a result as JSON if requested, else as text.
func (f fleet) show(result any, words func()) error {
	if f.json {
		return json.NewEncoder(f.out).Encode(result)
	}
	words()
	return nil
}

func (f fleet) signal(ctx context.Context, name string, order any) error {
	return f.SignalWorkflow(ctx, flow.FleetID(f.name), "", name, order)
}

// explain puts the server's errors into plain words.
func explain(name string, err error) error {
	if flow.IsNone(err) {
		return fmt.Errorf("there is no fleet %q on this server: start one with warp-fleet up", name)
	}
	if isUnready(err) {
		return fmt.Errorf("the server is up, but it is not ready or no worker is running to answer: try again in a moment, or run warp-fleet doctor (%w)", err)
	}
	return err
}

// callerName names who gives an order.
func callerName() string {
	return cmp.Or(os.Getenv("USER"), "someone") + "@" + app.Hostname()
}

// status queries the fleet's whole state.
func (f fleet) status(ctx context.Context) (s flow.FleetStatus, err error) {
	err = flow.Ask(ctx, f, flow.FleetID(f.name), &s)
	return s, err
}

// checkRequirements checks arguments that name requirements.
func checkRequirements(list []string) error {
	for _, s := range list {
		if repo, issue, ok := strings.Cut(s, "#"); !ok || repo == "" || issue == "" || strings.ContainsAny(s, " \t\n") {
			return app.WrongUsage("%q is not a requirement: name it as repository#issue", s)
		}
	}
	return nil
}
