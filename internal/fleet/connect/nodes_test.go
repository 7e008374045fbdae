package connect

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// node is one of a cluster.
type node struct {
	workflowservice.UnimplementedWorkflowServiceServer
	address string
	server  *grpc.Server
	calls   atomic.Int32
	busy    atomic.Int32 // calls until it is ready
}

func (n *node) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	n.calls.Add(1)
	if n.busy.Add(-1) >= 0 {
		return nil, status.Error(codes.Unavailable, "Frontend is not healthy yet")
	}
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func startNode(t *testing.T, o ...grpc.ServerOption) *node {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{address: l.Addr().String(), server: grpc.NewServer(o...)}
	workflowservice.RegisterWorkflowServiceServer(n.server, n)
	go func() { _ = n.server.Serve(l) }()
	t.Cleanup(n.server.Stop)
	return n
}

// testOptions are for nodes as named, and for no server that the machine has been told of.
func testOptions(t *testing.T, addresses ...string) Options {
	t.Helper()
	dir := t.TempDir()
	o := Options{Address: strings.Join(addresses, ","), File: filepath.Join(dir, "none.toml"), Fleet: filepath.Join(dir, "key")}
	if err := os.WriteFile(o.File, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := CreateKey(o.Fleet); err != nil {
		t.Fatal(err)
	}
	return o
}

func dialNodes(t *testing.T, o Options) *Link {
	t.Helper()
	c, err := Dial(t.Context(), o, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A server takes connections before it takes requests.
func TestAServerThatIsStartingIsWaitedFor(t *testing.T) {
	n := startNode(t)
	n.busy.Store(8)
	dialNodes(t, testOptions(t, n.address))
	if n.calls.Load() < 9 {
		t.Errorf("it was called %d times", n.calls.Load())
	}
}

func TestANodeThatIsDownIsPassedOver(t *testing.T) {
	down, up := startNode(t), startNode(t)
	down.server.Stop()
	c := dialNodes(t, testOptions(t, down.address, " "+up.address))
	for range 10 {
		if _, err := c.WorkflowService().GetSystemInfo(t.Context(), &workflowservice.GetSystemInfoRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	if up.calls.Load() < 10 {
		t.Errorf("the node that is up was called %d times", up.calls.Load())
	}
}

func TestANodeThatDiesIsPassedOver(t *testing.T) {
	a, b := startNode(t), startNode(t)
	c := dialNodes(t, testOptions(t, a.address, b.address))
	call := func() error {
		_, err := c.WorkflowService().GetSystemInfo(t.Context(), &workflowservice.GetSystemInfoRequest{}, grpc.WaitForReady(true))
		return err
	}
	for a.calls.Load() == 0 || b.calls.Load() == 0 { // both are used
		if err := call(); err != nil {
			t.Fatal(err)
		}
	}
	a.server.Stop()
	before := b.calls.Load()
	for b.calls.Load() < before+10 { // a call that was on its way may be lost with the node
		if err := call(); err != nil && t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

func TestEachNodesCertificateIsChecked(t *testing.T) {
	issued := httptest.NewTLSServer(nil) // has a certificate for 127.0.0.1
	issued.Close()
	of := grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: issued.TLS.Certificates, MinVersion: tls.VersionTLS12}))
	down, up := startNode(t, of), startNode(t, of)
	down.server.Stop()
	o := testOptions(t, down.address, up.address)
	o.CA = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued.Certificate().Raw})
	if err := os.WriteFile(o.CA, text, 0o600); err != nil {
		t.Fatal(err)
	}
	dialNodes(t, o)
	o.ServerName = "example.com" // is in it as well
	dialNodes(t, o)
	o.ServerName = "elsewhere.invalid"
	if c, err := Dial(t.Context(), o, "test", slog.New(slog.DiscardHandler)); err == nil {
		c.Close()
		t.Error("a certificate for another name was taken")
	}
}

func TestNodesAreNamedWithTheirPorts(t *testing.T) {
	_, err := Dial(t.Context(), testOptions(t, "one.example:7233", "two.example"), "test", slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("%v", err)
	}
}
