package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/internal/sys/proc"
)

// Paths of our own files inside a box.
const (
	insideSelf    = "/run/warp/init"
	insideSockets = "/run/warp/s"
)

type bwrap struct {
	path, self string
	flags      []string // the optional flags that this version supports
}

func (b *bwrap) Kind() Kind   { return Bwrap }
func (b *bwrap) Holds() Holds { return Contained }

// namespaces apply to every box. With capabilities, root's box could unmount read-only paths; with
// nested user namespaces, it could create a box in which it has them again.
var namespaces = []string{"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--cap-drop", "ALL", "--die-with-parent", "--hostname", "box"}

// optional are flags that older versions lack.
var optional = [][]string{{"--disable-userns"}, {"--unshare-cgroup-try"}}

var probed = struct {
	sync.Mutex
	boxes map[string]*bwrap
}{boxes: map[string]*bwrap{}}

// openBwrap finds bubblewrap and tries it: being installed says little, since many systems do not
// let it create namespaces.
func openBwrap(self string) (Box, error) {
	if runtime.GOOS != "linux" {
		return nil, errors.New("warp knows no sandbox for this system: run agents in a container (warp config set sandbox container)")
	}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bubblewrap is not installed (Debian and Ubuntu: apt install bubblewrap)")
	}
	probed.Lock()
	defer probed.Unlock()
	if b := probed.boxes[path]; b != nil {
		return &bwrap{path, self, b.flags}, nil
	}
	b := &bwrap{path: path, self: self}
	for _, flags := range [][]string{slices.Concat(optional...), nil} {
		b.flags = flags
		if err = b.probe(); err == nil {
			probed.boxes[path] = b
			return b, nil
		}
	}
	return nil, err
}

func (b *bwrap) probe() error {
	argv := slices.Concat([]string{b.path}, namespaces, b.flags, []string{"--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "true"})
	res, err := proc.Run(context.Background(), proc.Cmd{Argv: argv, Timeout: 10 * time.Second})
	if err == nil && res.Exit != 0 {
		err = errors.New(strings.TrimSpace(string(res.Stderr)))
	}
	if err != nil {
		return fmt.Errorf("bubblewrap does not work here (%w); if the system forbids user namespaces, an administrator can allow them for bwrap", err)
	}
	return nil
}

// Wrap implements Box.
func (b *bwrap) Wrap(c proc.Cmd, p Profile) (proc.Cmd, error) {
	forwards := slices.Clone(p.Forwards)
	for i := range forwards {
		forwards[i].Socket = filepath.Join(insideSockets, forwards[i].Socket)
	}
	order, err := json.Marshal(order{Limits: p.Limits, Forwards: forwards})
	if err != nil {
		return c, err
	}
	if c.Argv, err = resolve(c.Argv, p.Env); err != nil {
		return c, err
	}
	argv := slices.Concat([]string{b.path}, namespaces, b.flags)
	if p.Network != OpenNet {
		argv = append(argv, "--unshare-net")
	}
	system, err := p.system()
	if err != nil {
		return c, err
	}
	for _, m := range system {
		argv = append(argv, m.args()...)
	}
	argv = append(argv, "--proc", "/proc", "--dev", "/dev")
	for _, dir := range []string{"/tmp", "/var/tmp", "/run"} {
		argv = append(argv, b.inMemory(dir, p.Limits)...)
	}
	argv = append(argv,
		"--ro-bind", b.self, insideSelf)
	if p.Sockets != "" {
		argv = append(argv, "--ro-bind", p.Sockets, insideSockets)
	}
	for _, m := range p.mounts() {
		argv = append(argv, m.args()...)
	}
	for _, file := range hidden(p.Read) {
		argv = append(argv, "--ro-bind", "/dev/null", file)
	}
	argv = append(argv, "--remount-ro", "/", "--chdir", c.Dir, "--", insideSelf, insideCommand, string(order))
	// The values are in the environment of bwrap itself, which is all that /proc/1/environ shows
	// inside; --setenv would show them in its arguments.
	c.Argv, c.Env = append(argv, c.Argv...), p.Env
	passesOn := len(p.Forwards) > 0 // the first process then stays, and signals the program
	c.Terminate = func(pid int) { terminateInside(pid, passesOn) }
	return c, nil
}

// inMemory returns options for a temporary in-memory folder with a size limit; the kernel's default
// is half of the machine's memory.
func (b *bwrap) inMemory(dir string, l Limits) []string {
	if l.MemoryMB > 0 && len(b.flags) > 0 { // --size is as new as these flags
		return []string{"--size", strconv.FormatInt(int64(l.MemoryMB)<<20, 10), "--tmpfs", dir}
	}
	return []string{"--tmpfs", dir}
}

func (m mount) args() []string {
	switch m.how {
	case empty:
		return []string{"--tmpfs", m.to}
	case readOnly:
		if target, err := filepath.EvalSymlinks(m.from); err == nil && target != m.from && m.from == m.to && strings.Count(m.from, "/") == 1 {
			return []string{"--symlink", strings.TrimPrefix(target, "/"), m.to} // /bin is usr/bin
		}
		return []string{"--ro-bind", m.from, m.to}
	}
	return []string{"--bind", m.from, m.to}
}

// resolve finds the program in the PATH that it will have.
func resolve(argv, environ []string) ([]string, error) {
	if strings.Contains(argv[0], "/") {
		return argv, nil
	}
	for _, dir := range filepath.SplitList(Variable(environ, "PATH")) {
		if path, err := exec.LookPath(filepath.Join(dir, argv[0])); err == nil && filepath.IsAbs(path) {
			return append([]string{path}, argv[1:]...), nil
		}
	}
	return nil, &exec.Error{Name: argv[0], Err: exec.ErrNotFound}
}
