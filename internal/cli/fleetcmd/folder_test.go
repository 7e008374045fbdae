package fleetcmd

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warp/internal/fleet/devserver"
)

// Two fleets do not share a folder of clones, whichever of them runs.
func TestAFolderIsOneFleets(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "clones")
	for _, c := range []struct{ fleet, want string }{
		{"one", ""},
		{"two", `has the clones of the fleet "one": give this worker another --folder`},
		{"one", ""},
	} {
		free, err := claimFolder(folder, c.fleet)
		if err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.fleet, err)
		}
		if err == nil {
			free()
		}
	}
	for _, half := range []string{"", "on", "\n"} { // of what a worker wrote that was killed
		if err := os.WriteFile(filepath.Join(folder, ".fleet"), []byte(half), 0o600); err != nil {
			t.Fatal(err)
		}
		free, err := claimFolder(folder, "one")
		if err != nil {
			t.Fatalf("%q: %v", half, err)
		}
		free()
	}
}

// A worker that is started twice would drive in the clones of its twin, and remove them.
func TestAFolderIsOneWorkers(t *testing.T) {
	folder := t.TempDir()
	free, err := claimFolder(folder, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := claimFolder(folder, "one"); err == nil || !strings.Contains(err.Error(), "another worker runs in "+folder) {
		t.Errorf("a second worker was let in: %v", err)
	}
	free()
	if _, err := claimFolder(folder, "one"); err != nil {
		t.Errorf("the folder of a worker that ended: %v", err)
	}
}

// What keeps a folder from being locked is told as it is: no other worker is looked for.
func TestAFolderThatCannotBeLockedSaysWhy(t *testing.T) {
	folder := t.TempDir()
	lock := filepath.Join(folder, ".worker.lock")
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := claimFolder(folder, "one"); err == nil || strings.Contains(err.Error(), "another worker") || !strings.Contains(err.Error(), lock) {
		t.Errorf("%v", err)
	}
}

// Two servers on one database take it from each other: a fleet that ran did not answer any
// more when another warp-fleet up was started with another --port.
func TestADatabaseIsOneServers(t *testing.T) {
	dir := t.TempDir()
	lock, err := claimServer(filepath.Join(dir, "server"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	_, err = (&upOptions{temporal: os.Args[0], port: 1}).serve(t.Context(), dir, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "a server is already running on "+filepath.Join(dir, "server")) {
		t.Errorf("a second server: %v", err)
	}
}

// A killed warp-fleet up leaves its server running. With another --port, the next one started a
// second server on the same database.
func TestAServerKeepsItsDatabaseLocked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there a server is not handed the lock")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "temporal")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := claimServer(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	started, over := make(chan int, 9), make(chan error, 1)
	go func() {
		over <- devserver.Server{Program: program, Folder: dir, Port: 1, Lock: lock.(io.Reader)}.Run(ctx, func(pid int) { started <- pid }, func(string) {})
	}()
	<-started
	if err := lock.Close(); err != nil { // as the death of this process does
		t.Fatal(err)
	}
	if _, err := claimServer(dir); err == nil {
		t.Error("the folder of a server that runs is claimed")
	}
	end()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
