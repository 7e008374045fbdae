package connect

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

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
