package contain

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Ports inside that lead out.
const (
	proxyPort = 3128
	apiPort   = 3129
)

// Sockets of a way out, and the variable that names the hooks' one.
const (
	ProxySocket  = "proxy.sock"
	APISocket    = "api.sock"
	HookSocket   = "hook.sock"
	HookVariable = "WARP_HOOK_SOCKET"
)

// PortSocket returns the socket for a loopback port.
func PortSocket(port int) string { return fmt.Sprintf("port-%d.sock", port) }

// standIn replaces a key inside.
const standIn = "kept-outside-of-the-sandbox"

// Way is what leads out of a sandbox: sockets in one folder.
type Way struct {
	Hosts   []string          // that the proxy connects to
	Ports   []int             // of the outside loopback
	Hooks   *Origin           // the engine listens to hooks; nil: it does not
	API     *API              // nil: the agent has the key itself
	Refused func(host string) // called for each refused host
	// Answered is called with the event of each hook, one of a known few, and how long its answer
	// took.
	Answered func(event string, took time.Duration)
}

// Origin is the run that hooks come from. They are answered for it, whatever they claim.
type Origin struct {
	Dir  string // its first working folder
	Home string // its home folder
	Role string // "": none given by the engine
	Work string // what it is part of; "": a drive, or nothing
}

// API is an agent's API whose key stays outside.
type API struct {
	Base *url.URL
	// Headers replace a request's own headers, those that it has.
	Headers map[string]string
}

// openWays opens the ways out of a sandbox, and tells its programs about them.
func (w *Walls) openWays(r *Run, p *sandbox.Profile, c *proc.Cmd, own map[string]string, o Order) (err error) {
	// A command that reaches nothing gets no proxy either, which its tests may not expect.
	if w.Open == nil || o.own != nil && (p.Network != sandbox.ByProxy || len(w.Settings.Hosts)+len(o.own.Ports) == 0) {
		return nil
	}
	// Not below TMPDIR: a Unix socket's path is limited to 108 characters.
	if r.sockets, err = os.MkdirTemp("/tmp", "warp-box-"); err != nil {
		return fmt.Errorf("making the folder of a sandbox's sockets: %w", err)
	}
	p.Sockets = r.sockets
	way := Way{Refused: o.Refused, Answered: r.hooks.add}
	if o.own == nil {
		way.Hooks = &Origin{Dir: cmp.Or(c.Dir, w.Root), Home: own["HOME"], Role: sandbox.Variable(c.Env, "WARP_ROLE"), Work: sandbox.Variable(c.Env, "WARP_WORK")}
		own[HookVariable] = sandbox.SocketPath(w.Box, r.sockets, HookSocket)
	}
	if p.Network == sandbox.ByProxy && w.Box.Kind() == sandbox.Bwrap {
		way.addHosts(p, slices.Concat(o.Needs.Hosts, w.Settings.Hosts, o.own.ports()))
		if way.API, err = o.Needs.Key.keepOutside(own, c); err != nil {
			return err
		}
		if way.API != nil {
			p.Forwards = append(p.Forwards, sandbox.Forward{Port: apiPort, Socket: APISocket})
		}
		p.Forwards = append(p.Forwards, sandbox.Forward{Port: proxyPort, Socket: ProxySocket})
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
			own[name] = address(proxyPort)
		}
		own["NO_PROXY"], own["no_proxy"] = noProxy, noProxy
	}
	r.way, err = w.Open(r.sockets, way)
	return err
}

const noProxy = "127.0.0.1,localhost,::1"

// addHosts sorts hosts: a local port gets its own socket, the others go through the proxy.
func (w *Way) addHosts(p *sandbox.Profile, hosts []string) {
	for _, host := range hosts {
		port, local := loopbackPort(host)
		switch {
		case !local:
			w.Hosts = append(w.Hosts, host)
		case !slices.Contains(w.Ports, port):
			w.Ports = append(w.Ports, port)
			p.Forwards = append(p.Forwards, sandbox.Forward{Port: port, Socket: PortSocket(port)})
		}
	}
}

// keepOutside gives an agent a stand-in for its key, and an API address at which the key is added.
// An address that a user set is reached the same way.
func (k *Key) keepOutside(own map[string]string, c *proc.Cmd) (*API, error) {
	if k == nil {
		return nil, nil
	}
	base := ""
	if k.BaseEnv != "" {
		base = sandbox.Variable(c.Env, k.BaseEnv)
	}
	api := &API{Headers: map[string]string{}}
	for _, s := range k.Secrets {
		if key := sandbox.Variable(c.Env, s.Env); key != "" {
			api.Headers[s.Header], own[s.Env] = s.Prefix+key, standIn
		}
	}
	if len(api.Headers) == 0 && base == "" && !k.Chosen {
		return nil, nil
	}
	to, err := url.Parse(cmp.Or(base, k.Base))
	if err != nil || to.Host == "" {
		return nil, fmt.Errorf("the address of the agent's API is not valid: %q (%s)", cmp.Or(base, k.Base), k.BaseEnv)
	}
	api.Base = to
	if k.BaseEnv != "" {
		own[k.BaseEnv] = address(apiPort)
	}
	if len(k.BaseArgs) > 0 {
		args := slices.Clone(k.BaseArgs)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "{base}", address(apiPort))
		}
		c.Argv = slices.Insert(slices.Clone(c.Argv), 1, args...)
	}
	return api, nil
}

// loopbackPort returns the port of a host that is this machine.
func loopbackPort(host string) (port int, local bool) {
	name, text, err := net.SplitHostPort(host)
	if err != nil || name != "127.0.0.1" && name != "localhost" {
		return 0, false
	}
	port, err = strconv.Atoi(text)
	return port, err == nil && port > 0 && port < 1<<16
}

func address(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }

// hookMeter measures how long a run's hooks took to be answered.
type hookMeter struct {
	mu  sync.Mutex
	sum evidence.Hooks
}

func (m *hookMeter) add(event string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Add(event, took.Seconds())
}

// Hooks returns the hooks answered outside so far, or nil.
func (r *Run) Hooks() *evidence.Hooks {
	r.hooks.mu.Lock()
	defer r.hooks.mu.Unlock()
	if len(r.hooks.sum.Events) == 0 {
		return nil
	}
	sum := r.hooks.sum.Clone()
	return &sum
}
