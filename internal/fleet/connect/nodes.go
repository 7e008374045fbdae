package connect

import (
	"fmt"
	"net"
	"strings"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

// spreadNodes lets a client use several addresses in turn and skip nodes that are down. With one
// address, a client fails with its node: small clusters rarely have a DNS name for all nodes.
func spreadNodes(c *client.Options) error {
	nodes := strings.Split(c.HostPort, ",")
	if len(nodes) == 1 {
		return nil
	}
	var state resolver.State
	for _, node := range nodes {
		node = strings.TrimSpace(node)
		if _, _, err := net.SplitHostPort(node); err != nil {
			return fmt.Errorf("the Temporal server's nodes %q: write each as HOST:PORT, with commas between: %w", c.HostPort, err)
		}
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
