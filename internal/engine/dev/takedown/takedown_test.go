//go:build unix

package takedown_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/dev"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
	"warp/internal/sys/proc"
)

// A process that has the number of a server which ended long ago is somebody
// else's.
func TestAnotherProcessIsLeftAlone(t *testing.T) {
	innocent := exec.Command("sleep", "1000")
	if err := innocent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = innocent.Process.Kill(); _ = innocent.Wait() }()
	root := t.TempDir()
	store := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()})
	pid := innocent.Process.Pid
	_, err := takedown.Record(store).Update(func(tx *durable.Tx[dev.Record]) error {
		tx.Log("test", nil)
		tx.Doc = &dev.Record{Version: dev.Version, Server: &dev.Running{Supervisor: pid, Stamp: "another", PID: pid, PIDStamp: "another"}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := takedown.Server(t.Context(), store, root, proc.Started); err != nil {
		t.Error(err)
	}
	if stamp, alive := proc.Started(pid); !alive || !takedown.Alive(proc.Started, pid, stamp) || takedown.Alive(proc.Started, pid, "another") {
		t.Errorf("alive: %t, %s", alive, stamp)
	}
	if v, err := takedown.Record(store).Read(); err != nil || v.Doc.Server != nil {
		t.Errorf("%+v, %v", v.Doc, err)
	}
}
