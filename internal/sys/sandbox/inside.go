package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"warp/internal/sys/proc"
)

// insideCommand is the argument that makes this program the first process in a box.
const insideCommand = "__inside"

// order tells the first process in a box what to do before it starts the program.
type order struct {
	Limits   Limits    `json:"limits"`
	Forwards []Forward `json:"forwards,omitempty"`
	Landlock *rules    `json:"landlock,omitempty"`
	// Grace is how long the program may take to end after SIGTERM.
	Grace time.Duration `json:"grace,omitempty"`
}

// able means that this program calls Inside when it starts. One that does not would start itself
// again in every box, and make boxes of its own.
var able bool

// Inside runs as the first process in a box if the arguments say so; otherwise it returns at once.
// It limits itself, forwards loopback ports to sockets, and runs the program, whose exit code it
// returns.
func Inside(args []string) {
	able = true
	if len(args) < 3 || args[0] != insideCommand {
		return
	}
	code, err := runInside(args[1], args[2:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "warp: starting %s in a sandbox: %v\n", args[2], err)
		code = 126
	}
	os.Exit(code)
}

func runInside(text string, argv []string) (int, error) {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return 0, err
	}
	if err := o.Limits.apply(); err != nil {
		return 0, err
	}
	for _, f := range o.Forwards {
		if err := f.listen(); err != nil {
			return 0, err
		}
	}
	switch {
	case o.Landlock != nil:
		return supervise(o.Landlock, o.Grace, argv)
	case len(o.Forwards) == 0:
		return 0, become(argv)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // an ended process needs no signal
		}
	}()
	err := cmd.Wait()
	if cmd.ProcessState == nil {
		return 0, err
	}
	return proc.ExitCode(cmd.ProcessState), nil
}

// listen forwards a loopback port to a socket.
func (f Forward) listen() error {
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(f.Port))
	if err != nil {
		return fmt.Errorf("forwarding port %d: %w", f.Port, err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f.join(c)
		}
	}()
	return nil
}

func (f Forward) join(c net.Conn) {
	defer c.Close()
	s, err := net.Dial("unix", f.Socket)
	if err != nil {
		return
	}
	defer s.Close()
	Join(c, s)
}

// Join copies both ways until both ends are done. It passes on the end of each direction, since
// some protocols answer only then.
func Join(a, b net.Conn) {
	var both sync.WaitGroup
	for _, ends := range [][2]net.Conn{{a, b}, {b, a}} {
		both.Go(func() {
			_, _ = io.Copy(ends[0], ends[1]) // a broken connection just ends
			if half, ok := ends[0].(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite()
			}
		})
	}
	both.Wait()
}
