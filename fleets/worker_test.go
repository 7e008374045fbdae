//go:build unix

package fleets

import (
	"os"
	"os/exec"
	"path/filepath"
)

// worker is one machine of the fleet.
type worker struct {
	w    *world
	name string
	args []string // beside its name and folder
	cmd  *exec.Cmd
	done chan struct{}
}

// start starts the worker's process, in a group of its own.
func (k *worker) start() {
	k.w.t.Helper()
	log, err := os.OpenFile(filepath.Join(k.w.dir, k.name+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		k.w.t.Fatal(err)
	}
	defer log.Close()
	k.cmd = exec.Command(filepath.Join(bin, "warp-fleet"), append([]string{"worker", "--name", k.name, "--pool", "all", "--folder", filepath.Join(k.w.dir, "work-"+k.name)}, k.args...)...)
	k.cmd.Dir, k.cmd.Env, k.cmd.Stdout, k.cmd.Stderr = k.w.dir, k.w.env, log, log
	if err := k.cmd.Start(); err != nil {
		k.w.t.Fatal(err)
	}
	k.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		close(done)
	}(k.cmd, k.done)
}

func (k *worker) kill() {
	_ = k.cmd.Process.Kill()
	<-k.done
}
