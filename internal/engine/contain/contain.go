// Package contain gives every run its sandbox: an agent's, and that of the project's
// own commands, which are judged apart from what an agent may have prepared.
//
// It knows what a run needs: the work tree, the toolchains that PATH names, a home
// folder of its own, the agent's configuration as a copy, the hosts it may reach, the
// names of the environment it may see. What is not on a list is not there. How a
// process is kept to that is sys/sandbox's.
package contain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warp/internal/sys/gateway"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Needs is what an agent needs inside of a sandbox.
type Needs struct {
	Env    []string // names of variables; one that ends with * stands for all that begin so
	Set    []string // variables that it gets besides
	Config []Config
	Hosts  []string // of its API
	Key    *Key     // nil: it cannot be kept outside
}

// Key is a key that an agent may be given a stand-in for, since its API's address can
// be set.
type Key struct {
	Env     string // the variable that holds it
	BaseEnv string // the variable with the address of the API
	Base    string // the address, when the variable is not set
	Header  string // that the key is sent in
	Prefix  string // what stands before it there
}

// Settings are what a user may choose.
type Settings struct {
	Network sandbox.Network
	Read    []string
	Write   []string
	Env     []string
	Hosts   []string
	Limits  sandbox.Limits
}

// Walls make the sandboxes of one project.
type Walls struct {
	Box      sandbox.Box
	Root     string // the project
	State    string // the user's state folder, which nothing inside sees
	Environ  []string
	Settings Settings
	Programs []string // warp's own, which hooks call
	// Hooks answers the hooks of agents, which cannot write the drive's state; nil:
	// there are none. HookVariable tells them where.
	Hooks        func(net.Listener)
	HookVariable string
}

// Run is the sandbox of one run.
type Run struct {
	Cmd    proc.Cmd
	Limits sandbox.Limits
	copies
	sockets string // the folder with those that lead out
	gate    *gateway.Gateway
	hooks   net.Listener
}

// The ports inside that lead out.
const (
	proxyPort = 3128
	apiPort   = 3129

	apiSocket  = "api.sock"
	hookSocket = "hook.sock"
)

// standIn takes the place of a key inside.
const standIn = "kept-outside-of-the-sandbox"

// everyRun are the variables that every run may see.
var everyRun = []string{
	"PATH", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "TZ", "USER", "LOGNAME", "SHELL", "CI",
	"WARP_ROLE", "WARP_ISSUE", "WARP_CHUNK", "WARP_CRITERIA", "WARP_RESULT", "WARP_RUN_*",
	"GOFLAGS", "GOPROXY", "GONOSUMDB", "GOPRIVATE", "GOTOOLCHAIN", "CGO_ENABLED", "CC", "CXX", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "JAVA_HOME", "MAVEN_OPTS", "GRADLE_OPTS",
}

// Order is what a run is to be confined to.
type Order struct {
	Name    string // whose home folder it gets
	Top     string // the work tree, writable
	Frozen  []string
	Write   []string // further folders that it may write to
	Needs   Needs
	Refused func(host string) // told of each host that it may not reach
}

// Confine makes the sandbox of a command, whose environment is all that there is to
// choose from.
func (w *Walls) Confine(c proc.Cmd, o Order) (*Run, error) {
	home, err := w.home(o.Name)
	if err != nil {
		return nil, err
	}
	r := &Run{Limits: w.Settings.Limits, copies: copies{home: home, user: sandbox.Home(w.Environ), config: o.Needs.Config}}
	if err := r.copyIn(); err != nil {
		return nil, fmt.Errorf("copying the agent's configuration: %w", err)
	}
	p := sandbox.Profile{
		Tree: o.Top, Frozen: o.Frozen, Home: r.user, Network: w.Settings.Network, Limits: w.Settings.Limits,
		Read:  slices.Concat(sandbox.Toolchains(c.Env, r.user), sandbox.Program(c.Argv[0]), w.Programs, w.Settings.Read),
		Write: slices.Concat([]string{home}, o.Write, w.Settings.Write),
	}
	own := w.variables(home, c.Env)
	for _, v := range o.Needs.Set {
		name, value, _ := strings.Cut(v, "=")
		own[name] = value
	}
	if err := w.openWays(r, &p, own, c.Env, o); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	for _, v := range pick(c.Env, slices.Concat(everyRun, o.Needs.Env, w.Settings.Env)) {
		if name, _, _ := strings.Cut(v, "="); own[name] == "" {
			p.Env = append(p.Env, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(own)) {
		p.Env = append(p.Env, name+"="+own[name])
	}
	if r.Cmd, err = w.Box.Wrap(c, p); err != nil {
		return nil, errors.Join(fmt.Errorf("confining %s: %w", c.Argv[0], err), r.Close())
	}
	return r, nil
}

// variables are those that lead a run's programs to its own folders.
func (w *Walls) variables(home string, environ []string) map[string]string {
	own := map[string]string{"HOME": home, "TMPDIR": filepath.Join(home, "tmp")}
	if w.Box.Kind() == sandbox.Bwrap {
		own["TMPDIR"] = "/tmp"
	}
	user := sandbox.Home(w.Environ)
	for name, path := range map[string]string{"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "NVM_DIR": ".nvm"} {
		if path = orElse(value(environ, name), filepath.Join(user, path)); isFolder(path) {
			own[name] = path
		}
	}
	// Modules that the user has are read as from a proxy: the cache itself is the
	// run's own, since it has to be written to.
	modules := orElse(value(environ, "GOMODCACHE"), filepath.Join(orElse(value(environ, "GOPATH"), filepath.Join(user, "go")), "pkg", "mod"))
	if download := filepath.Join(modules, "cache", "download"); isFolder(download) {
		own["GOPROXY"] = "file://" + download + "," + orElse(value(environ, "GOPROXY"), "direct")
	}
	return own
}

// home is a home folder that the project's runs of a name share: caches stay warm,
// and none of the user's is touched. Agents and judged commands never share one.
func (w *Walls) home(name string) (string, error) {
	sum := sha256.Sum256([]byte(w.Root))
	dir := filepath.Join(w.State, "sandbox", hex.EncodeToString(sum[:8]), name)
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
		return "", fmt.Errorf("making the home folder of a sandbox: %w", err)
	}
	return dir, nil
}

// openWays opens the ways out of a sandbox, and tells its programs of them: to the
// engine for hooks, to the hosts that it may reach.
func (w *Walls) openWays(r *Run, p *sandbox.Profile, own map[string]string, environ []string, o Order) (err error) {
	// Not below TMPDIR: the name of a Unix socket may have 108 characters only.
	if r.sockets, err = os.MkdirTemp("/tmp", "warp-box-"); err != nil {
		return fmt.Errorf("making the folder of a sandbox's sockets: %w", err)
	}
	p.Sockets = r.sockets
	if w.Hooks != nil {
		if r.hooks, err = net.Listen("unix", filepath.Join(r.sockets, hookSocket)); err != nil {
			return fmt.Errorf("listening to hooks: %w", err)
		}
		go w.Hooks(r.hooks)
		own[w.HookVariable] = sandbox.SocketPath(w.Box, r.sockets, hookSocket)
	}
	if w.Settings.Network != sandbox.ByProxy || w.Box.Kind() != sandbox.Bwrap {
		return nil
	}
	way := gateway.Options{Refused: o.Refused}
	for _, host := range slices.Concat(o.Needs.Hosts, w.Settings.Hosts) {
		port, local := loopbackPort(host)
		if !local {
			way.Hosts = append(way.Hosts, host)
			continue
		}
		way.Ports = append(way.Ports, port)
		p.Forwards = append(p.Forwards, sandbox.Forward{Port: port, Socket: gateway.PortSocket(port)})
	}
	if k := o.Needs.Key; k != nil {
		if err := k.keepOutside(&way, p, own, environ); err != nil {
			return err
		}
	}
	if r.gate, err = gateway.Open(r.sockets, way); err != nil {
		return err
	}
	p.Forwards = append(p.Forwards, sandbox.Forward{Port: proxyPort, Socket: gateway.ProxySocket})
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		own[name] = address(proxyPort)
	}
	own["NO_PROXY"], own["no_proxy"] = "127.0.0.1,localhost", "127.0.0.1,localhost"
	return nil
}

// keepOutside gives an agent a stand-in for its key, and an address of its API at
// which the key is added. An address that a user has set is reached in the same way.
func (k *Key) keepOutside(way *gateway.Options, p *sandbox.Profile, own map[string]string, environ []string) error {
	key, base := value(environ, k.Env), value(environ, k.BaseEnv)
	if key == "" && base == "" {
		return nil
	}
	to, err := url.Parse(orElse(base, k.Base))
	if err != nil || to.Host == "" {
		return fmt.Errorf("%s is no address: %q", k.BaseEnv, base)
	}
	api := gateway.API{Socket: apiSocket, Base: to}
	if key != "" {
		api.Header = http.Header{http.CanonicalHeaderKey(k.Header): {k.Prefix + key}}
		own[k.Env] = standIn
	}
	way.APIs = []gateway.API{api}
	own[k.BaseEnv] = address(apiPort)
	p.Forwards = append(p.Forwards, sandbox.Forward{Port: apiPort, Socket: apiSocket})
	return nil
}

// loopbackPort is the port of a host that is this machine.
func loopbackPort(host string) (port int, local bool) {
	name, text, err := net.SplitHostPort(host)
	if err != nil || name != "127.0.0.1" && name != "localhost" {
		return 0, false
	}
	port, err = strconv.Atoi(text)
	return port, err == nil && port > 0 && port < 1<<16
}

func address(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }

// Close ends what a run had, and copies back what the user may keep of it.
func (r *Run) Close() error {
	var errs []error
	if r.gate != nil {
		errs = append(errs, r.gate.Close())
	}
	if r.hooks != nil {
		errs = append(errs, r.hooks.Close())
	}
	if r.sockets != "" {
		errs = append(errs, os.RemoveAll(r.sockets))
	}
	return errors.Join(append(errs, r.copyBack())...)
}

// pick keeps the variables whose names are on a list.
func pick(environ, names []string) (kept []string) {
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if slices.ContainsFunc(names, func(n string) bool {
			begin, all := strings.CutSuffix(n, "*")
			return n == name || all && strings.HasPrefix(name, begin)
		}) {
			kept = append(kept, v)
		}
	}
	return kept
}

func value(environ []string, name string) string {
	for _, v := range slices.Backward(environ) {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			return text
		}
	}
	return ""
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
