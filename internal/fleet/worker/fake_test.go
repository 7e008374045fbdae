package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
	"warp/internal/fleet/flow"
)

// TestMain is the fake drive as well: it says the lines of its file, waits for the reply
// to each that has a number, and writes the replies down.
func TestMain(m *testing.M) {
	if file := os.Getenv("FAKE_DRIVE"); file != "" {
		os.Exit(playDrive(file, os.Getenv("FAKE_REPLIES")))
	}
	os.Exit(m.Run())
}

func playDrive(file, replies string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return 9
	}
	log, err := os.OpenFile(replies, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 9
	}
	in := bufio.NewScanner(os.Stdin)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "break") {
			fmt.Fprintln(os.Stderr, "something is broken")
			return 7
		}
		if strings.HasPrefix(line, "leave") {
			return 0
		}
		fmt.Print(line)
		var s conduct.Say
		_ = json.Unmarshal([]byte(line), &s)
		for r := (conduct.Reply{}); s.Serial != 0 && r.Serial != s.Serial; {
			if !in.Scan() {
				fmt.Fprintln(log, "the worker is gone")
				return 0
			}
			_ = json.Unmarshal(in.Bytes(), &r)
			if r.Serial != 0 {
				fmt.Fprintln(log, in.Text())
			}
		}
	}
	for in.Scan() { // it works on until the worker ends it
		continue
	}
	fmt.Fprintln(log, "the worker is gone")
	return 0
}

// server is Temporal as a worker needs it.
type server struct {
	client.Client
	mu      sync.Mutex
	beat    func(n int) error // the answer to the nth heartbeat
	beats   int
	signals []string
	fleet   func() (flow.FleetStatus, error)
	ended   map[string]flow.RequirementStatus // by workflow
}

var (
	errCut  = serviceerror.NewUnavailable("the cable is cut")
	errGone = serviceerror.NewNotFound("there is no such attempt")
)

func (s *server) RecordActivityHeartbeat(context.Context, []byte, ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beats++
	if s.beat == nil {
		return nil
	}
	return s.beat(s.beats)
}

func (s *server) SignalWorkflow(_ context.Context, id, _, name string, arg any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signals = append(s.signals, fmt.Sprintf("%s %s %+v", id, name, arg))
	return nil
}

func (s *server) QueryWorkflow(_ context.Context, id, _, _ string, _ ...any) (converter.EncodedValue, error) {
	if r, ok := s.ended[id]; ok {
		return encoded[flow.RequirementStatus]{r}, nil
	}
	if s.fleet == nil {
		return nil, errCut
	}
	if id != flow.FleetID("f") {
		return nil, errGone
	}
	f, err := s.fleet()
	return encoded[flow.FleetStatus]{f}, err
}

type encoded[T any] struct{ value T }

func (e encoded[T]) HasValue() bool { return true }
func (e encoded[T]) Get(into any) error {
	s, ok := into.(*T)
	if !ok {
		return errors.New("something else is asked for")
	}
	*s = e.value
	return nil
}

// bench is a worker with a fake drive.
type bench struct {
	*Worker
	t       *testing.T
	server  *server
	script  string
	replies string
	work    flow.Work
}

func newBench(t *testing.T, timeout time.Duration, lines ...string) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, server: &server{}, script: filepath.Join(dir, "drive.txt"), replies: filepath.Join(dir, "replies.txt")}
	b.says(lines...)
	b.work = flow.Work{Fleet: "f", Repository: fleetfile.Repository{Name: "shop", URL: "https://example.invalid/shop.git"}, Issue: "7"}
	clone := filepath.Join(dir, "work", "shop", "issue-7")
	if out, err := exec.Command("git", "init", "-q", clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b.Worker = &Worker{WorkerInfo: flow.WorkerInfo{Name: "w1"}, Fleet: "f", Folder: filepath.Join(dir, "work"), Secrets: dir, Warp: os.Args[0], Client: b.server,
		Environ: append(os.Environ(), "FAKE_DRIVE="+b.script, "FAKE_REPLIES="+b.replies)}
	b.Worker.attempt = func(context.Context) attempt { return attempt{[]byte("token"), timeout} }
	t.Cleanup(b.seats.endDrives)
	return b
}

// says is what the next drive has to say.
func (b *bench) says(lines ...string) {
	b.t.Helper()
	if err := os.WriteFile(b.script, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) replied() string {
	text, _ := os.ReadFile(b.replies)
	return string(text)
}
