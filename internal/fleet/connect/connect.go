// Package connect connects to a Temporal server and encrypts all of a fleet's payloads with the
// fleet's own key.
package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

// Options locate the server. Empty fields come from Temporal's own file (temporal.toml) and
// environment variables (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS, …).
type Options struct {
	Address                   string // HOST:PORT of the server, or of its nodes, separated by commas
	Namespace                 string
	APIKey                    string
	File, Profile             string // Temporal's configuration; "" for its default location
	TLS                       bool
	CA, Cert, Key, ServerName string
	Fleet                     string // key file, see ReadKey
}

// dialTime limits the wait for a server, startTime that for one that answers that it is starting.
const (
	dialTime  = 15 * time.Second
	startTime = 2 * time.Minute
)

// Link is a connection to the server.
type Link struct {
	client.Client
	Converter converter.DataConverter // decodes what the server stores for the fleet
}

// Dial connects to the server.
func Dial(ctx context.Context, o Options, identity string, log *slog.Logger) (*Link, error) {
	key, err := ReadKey(o.Fleet)
	if err != nil {
		return nil, err
	}
	c, err := o.clientOptions()
	if err != nil {
		return nil, err
	}
	named := c.HostPort
	if err := spreadNodes(&c); err != nil {
		return nil, err
	}
	c.Identity = identity
	c.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), key)
	c.FailureConverter = newFailures(c.DataConverter)
	c.Logger = log
	// Encrypted data does not shrink: compressing it took an eighth of a worker's time.
	c.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{}
	conn, err := dialReady(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("connect to the Temporal server at %s: %w", named, err)
	}
	return &Link{conn, c.DataConverter}, nil
}

// dialReady connects to a server and waits for one that is starting: it accepts connections
// seconds before requests, and many seconds on a busy machine.
func dialReady(ctx context.Context, c client.Options) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		once, cancel := context.WithTimeout(ctx, dialTime)
		conn, err := client.DialContext(once, c)
		cancel()
		if !isStarting(err) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// isStarting reports whether a server answered that it is not ready yet. The error has no type of
// its own.
func isStarting(err error) bool {
	var unready *serviceerror.Unavailable
	return errors.As(err, &unready) && strings.Contains(unready.Message, "not healthy yet")
}

func (o Options) clientOptions() (client.Options, error) {
	if o.File != "" {
		if _, err := os.Stat(o.File); err != nil { // the SDK would fall back to its defaults, which name another server
			return client.Options{}, fmt.Errorf("read Temporal's configuration: %w", err)
		}
	}
	p, err := envconfig.LoadClientConfigProfile(envconfig.LoadClientConfigProfileOptions{ConfigFilePath: o.File, ConfigFileProfile: o.Profile})
	if err != nil {
		return client.Options{}, fmt.Errorf("read Temporal's configuration: %w", err)
	}
	for to, from := range map[*string]string{&p.Address: o.Address, &p.Namespace: o.Namespace, &p.APIKey: o.APIKey} {
		if from != "" {
			*to = from
		}
	}
	if o.TLS || o.CA+o.Cert+o.Key+o.ServerName != "" {
		if p.TLS == nil {
			p.TLS = &envconfig.ClientConfigTLS{}
		}
		p.TLS.Disabled = false
		for to, from := range map[*string]string{&p.TLS.ServerCACertPath: o.CA, &p.TLS.ClientCertPath: o.Cert, &p.TLS.ClientKeyPath: o.Key, &p.TLS.ServerName: o.ServerName} {
			if from != "" {
				*to = from
			}
		}
	}
	c, err := p.ToClientOptions(envconfig.ToClientOptionsRequest{})
	if err != nil {
		return c, fmt.Errorf("read Temporal's configuration: %w", err)
	}
	c.HostPort = cmp.Or(c.HostPort, "127.0.0.1:7233")
	return c, nil
}

// spreadNodes lets a client use several addresses in turn and skip nodes that are down. With one
// address, a client fails with its node: small clusters rarely have a DNS name for all nodes.
func spreadNodes(c *client.Options) error {
	if err := CheckAddress(c.HostPort); err != nil {
		return err
	}
	nodes := strings.Split(c.HostPort, ",")
	if len(nodes) == 1 {
		return nil
	}
	var state resolver.State
	for _, node := range nodes {
		node = strings.TrimSpace(node)
		at := resolver.Address{Addr: node}
		if tls := c.ConnectionOptions.TLS; tls == nil || tls.ServerName == "" {
			at.ServerName = node // verify its certificate against its own name, not the first node's
		}
		state.Addresses = append(state.Addresses, at)
	}
	known := manual.NewBuilderWithScheme("nodes")
	known.InitialState(state)
	c.ConnectionOptions.DialOptions = append(c.ConnectionOptions.DialOptions, grpc.WithResolvers(known))
	c.HostPort = known.Scheme() + ":///" + state.Addresses[0].Addr
	return nil
}

// CheckAddress refuses what cannot be the address of a server or of its nodes: a client would try it
// for a long time. A single address may also name a resolver, as in dns:///HOST:PORT.
func CheckAddress(address string) error {
	nodes := strings.Split(address, ",")
	if len(nodes) == 1 && strings.Contains(address, "://") {
		return nil
	}
	for _, node := range nodes {
		_, port, err := net.SplitHostPort(strings.TrimSpace(node))
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil {
			return fmt.Errorf("%q is not the address of a Temporal server: write HOST:PORT, and several nodes as HOST:PORT,HOST:PORT", address)
		}
	}
	return nil
}
