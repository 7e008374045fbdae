package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

var record = flag.String("record", "", "record histories with this `temporal` binary into testdata/histories, for TestReplay")

// version of the workflows that is recorded: the histories of earlier ones stay.
const version = "v2"

// TestRecord runs a night on a real server, with histories so short that every workflow
// begins new ones on the way. Run it after a change of the workflows that has a version,
// and keep the old histories beside the new ones.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("it makes the histories that TestReplay reads; run it with -record=PATH-OF-temporal")
	}
	address := startServer(t, *record)
	c, err := client.Dial(client.Options{HostPort: address, Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := newWorld()
	w.trouble = troubleOnce()
	run(t, worker.New(c, flow.FlowQueue("f"), worker.Options{}), func(r worker.Worker) { flow.Register(r) })
	for _, name := range []string{"one", "two"} {
		run(t, worker.New(c, flow.WorkerQueue("f", name), worker.Options{}), func(r worker.Worker) {
			r.RegisterActivityWithOptions(w.beginWork, activity.RegisterOptions{Name: flow.BeginWork})
			r.RegisterActivityWithOptions(w.takeStep, activity.RegisterOptions{Name: flow.TakeStep})
			r.RegisterActivityWithOptions(w.leaveWork, activity.RegisterOptions{Name: flow.LeaveWork})
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	later := time.Now().UTC().Add(2*time.Hour).Format("quiet_hours: [\"15:04-") + time.Now().UTC().Add(3*time.Hour).Format("15:04\"]\n")
	terms := flow.Terms{Heartbeat: 2 * time.Second, Tick: 3 * time.Second, Silence: time.Hour, Events: 90}
	if _, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: flow.FleetID("f"), TaskQueue: flow.FlowQueue("f")}, flow.FleetFlow, flow.FleetState{Name: "f", File: file(t, "caps: {night: 60}\n"+later), Terms: terms}); err != nil {
		t.Fatal(err)
	}
	tell := func(signal string, v any) {
		if err := c.SignalWorkflow(ctx, flow.FleetID("f"), "", signal, v); err != nil {
			t.Fatal(signal, err)
		}
	}
	tell(flow.Hello, hello("one"))
	tell(flow.Hello, hello("two"))
	tell(flow.Submit, append(submissions("x", 6), submissions("y", 6)...))
	var s flow.FleetStatus
	capped := true
	for len(s.Done)+len(s.Parked) < 12 {
		if len(s.Done) > 3 && capped {
			capped = false
			tell(flow.Configure, file(t, later))
		}
		v, err := c.QueryWorkflow(ctx, flow.FleetID("f"), "", flow.Status)
		if err != nil {
			t.Fatal(err, s)
		}
		if err := v.Get(&s); err != nil {
			t.Fatal(err)
		}
		for _, i := range s.Running {
			_ = c.SignalWorkflow(ctx, flow.RequirementID(s.Scope, i.Repo, i.Issue), "", flow.Reply, flow.Answer{Question: "q", Text: "yes"})
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, wrong := range w.wrong {
		t.Error(wrong)
	}
	if s.Merged != 11 || len(s.Parked) != 1 {
		t.Errorf("%+v", s)
	}
	save(t, c, address)
}

// troubleOnce is a different trouble for each requirement of x, one time.
func troubleOnce() func(*drive, flow.Step) error {
	done := map[string]bool{}
	trouble := map[string]func(*drive) error{
		"x#1": func(*drive) error { return lostWorker() },
		"x#2": func(d *drive) error {
			d.next = &flow.Stepped{Ask: &conduct.Ask{ID: "q", Minutes: 5}}
			return nil
		},
		"x#3": func(d *drive) error {
			d.next = &flow.Stepped{Outcome: &conduct.Outcome{Limited: &conduct.Limit{Until: time.Now().Add(time.Second).Format(time.RFC3339)}}}
			return nil
		},
		"x#4": func(*drive) error { return broken(flow.StepBroken) },
		"x#5": func(*drive) error { return notTaken() },
		"x#6": func(d *drive) error {
			d.next = &flow.Stepped{Outcome: &conduct.Outcome{Result: "failed", Why: "red"}}
			return nil
		},
	}
	return func(d *drive, _ flow.Step) error {
		if d.at != 1 || done[d.id] || trouble[d.id] == nil {
			return nil
		}
		done[d.id] = true
		return trouble[d.id](d)
	}
}

func run(t *testing.T, w worker.Worker, register func(worker.Worker)) {
	register(w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

func freePorts(t *testing.T, count int) (ports []string) {
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // at the end: they are different ones
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

func startServer(t *testing.T, binary string) (address string) {
	ports := freePorts(t, 3)
	server := exec.Command(binary, "server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", ports[0], "--http-port", ports[1], "--metrics-port", ports[2],
		"--db-filename", filepath.Join(t.TempDir(), "temporal.db"), "--log-level", "error")
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	address = "127.0.0.1:" + ports[0]
	for range 300 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the server does not come up")
	return ""
}

// save writes the histories of all runs, by the names of their workflows.
func save(t *testing.T, c client.Client, address string) {
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "ORDER BY StartTime", PageSize: 1000})
	if err != nil {
		if list, err = c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{PageSize: 1000}); err != nil {
			t.Fatal(err)
		}
	}
	folder, runs := filepath.Join("testdata", "histories"), map[string]int{}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Executions {
		id := e.Execution.WorkflowId
		runs[id]++
		t.Log(id, e.Status, e.HistoryLength)
		if runs[id] > 2 || strings.HasPrefix(id, "req:f/y#") && id != "req:f/y#1" { // the others say nothing new
			continue
		}
		text, err := exec.Command(*record, "workflow", "show", "-w", id, "-r", e.Execution.RunId, "--output", "json", "--address", address).Output()
		if err != nil {
			t.Fatal(id, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			t.Fatal(id, err)
		}
		name := fmt.Sprintf("%s-%s-%d.json", version, strings.NewReplacer(":", "-", "#", "-", "/", "-").Replace(id), runs[id])
		if err := os.WriteFile(filepath.Join(folder, name), compact.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
