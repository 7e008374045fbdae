package dev_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/adapter/database"
	"warp/internal/core/devconfig"
	"warp/internal/durable"
	"warp/internal/engine/dev"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// roleEnv turns the test binary into the supervisor or the server of a test.
const roleEnv = "WARP_DEV_TEST_ROLE"

func TestMain(m *testing.M) {
	sandbox.Inside(os.Args[1:])
	var err error
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "supervisor":
		err = supervisor()
	case "server":
		err = server()
	case "dial":
		err = dial()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func supervisor() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	port, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	return environment(root, os.Environ()).Supervise(ctx, port, os.Stdout, func() error {
		return errors.Join(os.Stdout.Close(), os.Stderr.Close())
	})
}

// server is a web server that can be told to do what servers do.
func server() error {
	l, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(os.Getenv("LISTEN"), "127.0.0.1"), os.Getenv("PORT")))
	if err != nil {
		return err
	}
	fmt.Println("serving", os.Getenv("GREETING"))
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	http.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	http.HandleFunc("/exit", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	http.HandleFunc("/close", func(http.ResponseWriter, *http.Request) { l.Close() }) // it lives on, deaf
	_ = http.Serve(l, nil)
	select {}
}

func environment(root string, environ []string) *dev.Environment {
	self, _ := os.Executable() // the tests would not run without
	return dev.New(dev.Config{
		Root:    root,
		Confine: confining(root, environ),
		Store:   durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()}),
		SQL:     database.Databases{Root: root},
		Trust:   func(string, []byte) error { return nil },
		Environ: environ,
		Now:     time.Now, Started: proc.Started, PID: os.Getpid(),
		Self: []string{"env", roleEnv + "=supervisor", self},
	})
}

// project is a throw-away project; whatever it leaves running is ended.
type project struct {
	*testing.T
	root string
	*dev.Environment
}

func newProject(t *testing.T, manifest string, files map[string]string) *project {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// What is alive is found by this, wherever it went.
	mark := "WARP_DEV_TEST=" + root
	t.Cleanup(func() { proc.EndMarked(mark) })
	env := append(os.Environ(), mark, "SERVER=env "+roleEnv+"=server "+self, "DIAL=env "+roleEnv+"=dial "+self, "GORACE=atexit_sleep_ms=0")
	p := &project{t, root, environment(root, env)}
	p.write(devconfig.File, manifest)
	for name, text := range files {
		p.write(name, text)
	}
	return p
}

func (p *project) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.Fatal(err)
	}
}

// up brings the environment up and returns what was said.
func (p *project) up() string {
	p.Helper()
	said, err := p.tryUp()
	if err != nil {
		p.Fatalf("up: %v\n%s", err, said)
	}
	return said
}

func (p *project) tryUp() (string, error) {
	var said strings.Builder
	err := p.Up(p.Context(), func(line string) { said.WriteString(line + "\n") })
	return said.String(), err
}

func (p *project) running() devconfig.Running {
	p.Helper()
	store := durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), Now: time.Now, PID: os.Getpid()})
	v, err := durable.Open(store, devconfig.RecordFile, durable.Kind[devconfig.Record]{Name: "dev", Version: devconfig.Version}).Read()
	if err != nil || v.Doc.Server == nil {
		p.Fatalf("no server is recorded: %v", err)
	}
	return *v.Doc.Server
}

// get asks the server; that it dies of the question is no error.
func (p *project) get(path string) {
	p.Helper()
	r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", p.running().Port, path))
	if err == nil {
		r.Body.Close()
	}
}

// eventually waits for something that comes soon, and is no measure of time.
func (p *project) eventually(what string, is func() bool) {
	p.Helper()
	for end := time.Now().Add(time.Minute); !is(); {
		if time.Now().After(end) {
			p.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// alone fails unless nothing of the project runs any more.
func (p *project) alone() {
	p.Helper()
	if left := proc.EndMarked("WARP_DEV_TEST=" + p.root); len(left) > 0 {
		p.Errorf("processes were left: %v", left)
	}
}
