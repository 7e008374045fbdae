// Package connect opens connections to a Temporal server, with everything that a fleet
// sends encrypted by the fleet's own key.
package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
)

// Options say where the server is. What is empty comes from Temporal's own file
// (temporal.toml) and environment variables (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE,
// TEMPORAL_API_KEY, TEMPORAL_TLS, …).
type Options struct {
	Address                   string // HOST:PORT of the server; of each node, separated by commas, where it has several
	Namespace                 string
	APIKey                    string
	File, Profile             string // of Temporal's configuration; "": where Temporal looks for it
	TLS                       bool
	CA, Cert, Key, ServerName string
	Fleet                     string // key file, see ReadKey
}

// dialTime bounds how long a server is waited for, startTime one that answers and says that
// it is starting.
const (
	dialTime  = 15 * time.Second
	startTime = 2 * time.Minute
)

// Link is a connection to the server.
type Link struct {
	client.Client
	Converter converter.DataConverter // reads what the server keeps for the fleet
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
	// What is encrypted does not shrink: to compress it was an eighth of a worker's time.
	c.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{}
	conn, err := dialReady(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("connect to the Temporal server at %s: %w", named, err)
	}
	return &Link{conn, c.DataConverter}, nil
}

// dialReady connects to a server, and waits for one that is starting: it takes connections
// seconds before it takes requests, on a busy machine many.
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

// isStarting tells the answer of a server that is not ready yet. It has no type of its own.
func isStarting(err error) bool {
	var unready *serviceerror.Unavailable
	return errors.As(err, &unready) && strings.Contains(unready.Message, "not healthy yet")
}

func (o Options) clientOptions() (client.Options, error) {
	if o.File != "" {
		if _, err := os.Stat(o.File); err != nil { // the SDK goes on with its defaults, which are another server
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
	if c.HostPort == "" {
		c.HostPort = "127.0.0.1:7233"
	}
	return c, nil
}
