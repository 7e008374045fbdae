//go:build unix

package fleets

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"warp/internal/testkit/postgres"
)

// serverVersion is the production server's, which make fleet-cluster builds.
const serverVersion = "1.32.1"

// clusterNode is one process of the production server, with all its services.
type clusterNode struct {
	name string
	port int
	cmd  *exec.Cmd
	done chan struct{}
}

func (n *clusterNode) address() string { return fmt.Sprintf("127.0.0.1:%d", n.port) }

func (n *clusterNode) kill() {
	_ = n.cmd.Process.Kill()
	<-n.done
}

// isUp fails the test when the node has ended by itself.
func (n *clusterNode) isUp(t *testing.T, w *world) bool {
	t.Helper()
	select {
	case <-n.done:
		w.tellLogs()
		t.Fatalf("node %s has ended", n.name)
	default:
	}
	return true
}

// startCluster starts PostgreSQL and two nodes on it, which know of each other by what
// they write there, and makes the namespace default.
func startCluster(t *testing.T, w *world) []*clusterNode {
	t.Helper()
	at, err := url.Parse(postgres.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	createSchema(t, w, at, "temporal", "temporal")
	createSchema(t, w, at, "visibility", "temporal_visibility")
	nodes := []*clusterNode{{name: "a"}, {name: "b"}}
	for _, n := range nodes {
		n.start(t, w, at.Host)
	}
	for _, n := range nodes {
		w.await("node "+n.name+" answers for its namespace", func() bool { return n.isUp(t, w) && registerNamespace(t, n.address()) })
	}
	return nodes
}

// createSchema makes a database as the server's own tool does.
func createSchema(t *testing.T, w *world, at *url.URL, kind, database string) {
	t.Helper()
	db, err := sql.Open("pgx", at.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("create database " + database); err != nil {
		t.Fatal(err)
	}
	tool := fmt.Sprintf("%s --plugin postgres12 --ep %s -p %s -u %s --pw none --db %s", serverProgram(t, "temporal-sql-tool"), at.Hostname(), at.Port(), at.User.Username(), database)
	w.sh(tool + " setup-schema -v 0.0 && " + tool + " update-schema --schema-name postgresql/v12/" + kind)
}

// serverProgram is a program of the production server.
func serverProgram(t *testing.T, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "warp-drive", name+"-"+serverVersion, name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is not built: make fleet-cluster does it", name)
	}
	return path
}

func (n *clusterNode) start(t *testing.T, w *world, database string) {
	t.Helper()
	ports := lowPorts(t, 8)
	n.port = ports[0].(int)
	config := fmt.Sprintf(`log: {stdout: true, level: warn}
persistence:
  defaultStore: default
  visibilityStore: visibility
  numHistoryShards: 16
  datastores:
    default: {sql: {pluginName: postgres12, databaseName: temporal, connectAddr: '%[1]s', connectProtocol: tcp, user: tester, password: none, maxConns: 8, maxIdleConns: 8}}
    visibility: {sql: {pluginName: postgres12, databaseName: temporal_visibility, connectAddr: '%[1]s', connectProtocol: tcp, user: tester, password: none, maxConns: 2, maxIdleConns: 2}}
global:
  membership: {maxJoinDuration: 30s, broadcastAddress: 127.0.0.1}
services:
  frontend: {rpc: {grpcPort: %[2]d, membershipPort: %[3]d, bindOnLocalHost: true}}
  matching: {rpc: {grpcPort: %[4]d, membershipPort: %[5]d, bindOnLocalHost: true}}
  history: {rpc: {grpcPort: %[6]d, membershipPort: %[7]d, bindOnLocalHost: true}}
  worker: {rpc: {grpcPort: %[8]d, membershipPort: %[9]d, bindOnLocalHost: true}}
clusterMetadata:
  enableGlobalNamespace: false
  failoverVersionIncrement: 10
  masterClusterName: active
  currentClusterName: active
  clusterInformation: {active: {enabled: true, initialFailoverVersion: 1, rpcName: frontend, rpcAddress: '127.0.0.1:%[2]d'}}
dcRedirectionPolicy: {policy: noop}
`, append([]any{database}, ports...)...)
	w.write("node-"+n.name+".yaml", config)
	log, err := os.Create(filepath.Join(w.dir, "node-"+n.name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	n.cmd = exec.Command(serverProgram(t, "temporal-server"), "--config-file", filepath.Join(w.dir, "node-"+n.name+".yaml"), "--allow-no-auth", "start")
	n.cmd.Dir, n.cmd.Stdout, n.cmd.Stderr = w.dir, log, log
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n.done = make(chan struct{})
	go func() {
		_ = n.cmd.Wait()
		close(n.done)
	}()
	t.Cleanup(n.kill)
}

// lowPorts are free ones below 32768: the schema for PostgreSQL keeps those of members in
// a smallint, and the system gives higher ones.
func lowPorts(t *testing.T, count int) (list []any) {
	t.Helper()
	taken := map[int]bool{}
	for tries := 0; len(list) < count; tries++ {
		port := 10_000 + rand.IntN(20_000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		switch {
		case err == nil && !taken[port]:
			list, taken[port] = append(list, port), true
		case tries > 1000:
			t.Fatalf("no port is free below 32768: %v", err)
		}
		if err == nil {
			_ = l.Close()
		}
	}
	return list
}

// registerNamespace makes the namespace where it is missing, and tells whether this node
// takes work for it.
func registerNamespace(t *testing.T, address string) bool {
	t.Helper()
	c, err := client.NewLazyClient(client.Options{HostPort: address})
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.WorkflowService().RegisterNamespace(t.Context(), &workflowservice.RegisterNamespaceRequest{Namespace: client.DefaultNamespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour)})
	if err != nil && !strings.Contains(err.Error(), "already") {
		return false
	}
	_, err = c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Namespace: client.DefaultNamespace})
	return err == nil
}
