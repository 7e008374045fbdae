// Package contain gives every run its sandbox: an agent's, and that of the project's own commands,
// which are judged apart from what an agent may have prepared.
//
// It knows what a run needs: the work tree, the toolchains in PATH, a private home folder, a copy
// of the agent's configuration, and the hosts and variables it may use. What is not listed is not
// there. sys/sandbox enforces that on a process.
package contain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/sys/seal"
)

// Needs is what an agent needs inside a sandbox.
type Needs struct {
	Env    []string // names of variables; a trailing * matches any suffix
	Set    []string // further variables with values
	Temp   []string // variables that name its temporary folder
	Config []Config
	Hosts  []string // of its API
	Read   []string // its files, besides its program
	Key    *Key     // nil: the key cannot be kept outside
	// ReadOnly: it must only read, and nothing of its own enforces that.
	ReadOnly bool
}

// Key describes an API key that can stay outside, because the API's address can be set.
type Key struct {
	Secrets []Secret
	BaseEnv string // the variable with the API's address; "": none
	Base    string // the address if the variable is not set
	// BaseArgs are arguments that set the address, written as {base}. They come first.
	BaseArgs []string
	Chosen   bool // Base is the user's choice: it is used even without a key
}

// Secret is a variable with an API key, and the header that carries it.
type Secret struct {
	Env    string
	Header string
	Prefix string // precedes the key in the header
}

// Settings are what a user may choose.
type Settings struct {
	Network sandbox.Network
	Read    []string
	Write   []string
	Env     []string
	Hosts   []string
	Limits  sandbox.Limits
	// PrivateGit gives agents that insist on committing a private git folder.
	PrivateGit bool
}

// Walls create the sandboxes of one project.
type Walls struct {
	Box      sandbox.Box
	Root     string // the project
	State    string // the user's state folder, invisible inside
	Environ  []string
	Settings Settings
	Programs []string // warp's own, which hooks call
	// Open opens the ways out in a folder; nil: there are none. Only programs that need HTTP link
	// it.
	Open func(dir string, w Way) (io.Closer, error)
}

// Run is the sandbox of one run.
type Run struct {
	Cmd    proc.Cmd
	Limits sandbox.Limits
	dirs   []string // that it writes to
	copies
	sockets string // the folder of the sockets that lead out
	aside   string // the folder of whatever else the engine gives it
	way     io.Closer
	lock    io.Closer // of its home folder
	hooks   hookMeter
}

// everyRun are the variables that every run may see.
var everyRun = []string{
	"PATH", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "TZ", "USER", "LOGNAME", "SHELL", "CI",
	"WARP_ROLE", "WARP_WORK", "WARP_ISSUE", "WARP_CHUNK", "WARP_CRITERIA", "WARP_RESULT", "WARP_RUN_*",
	"GOFLAGS", "GOPROXY", "GONOSUMDB", "GOPRIVATE", "GOTOOLCHAIN", "CGO_ENABLED", "CC", "CXX", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "JAVA_HOME", "MAVEN_OPTS", "GRADLE_OPTS",
}

// Order describes the sandbox of a run.
type Order struct {
	Name     string // selects its home folder
	Session  string // the agent's session that it continues; "": none
	Top      string // the work tree, writable
	ReadOnly bool   // Top is not writable
	Frozen   []string
	Git      string   // git's folder, shared by all work trees; "": none
	Write    []string // further writable folders
	Needs    Needs
	Refused  func(host string) // called for each host that it may not reach

	own *Command // nil for an agent
}

// Confine creates the sandbox of a command; its variables are selected from the command's
// environment.
func (w *Walls) Confine(c proc.Cmd, o Order) (*Run, error) {
	home, lock, err := w.claim(o)
	if err != nil {
		return nil, err
	}
	r := &Run{Limits: w.Settings.Limits, lock: lock}
	mine := copies{home: home, user: sandbox.Home(w.Environ), config: o.Needs.Config, session: o.Session}
	if err := mine.copyIn(); err != nil {
		return nil, errors.Join(fmt.Errorf("copying the agent's configuration: %w", err), r.Close())
	}
	r.copies = mine
	own := w.Variables(home, c.Env)
	if o.ReadOnly && o.own == nil {
		if err := inFolder(home, func(home *os.Root) error { return makeFolders(home, ".cache/tools") }); err != nil {
			return nil, errors.Join(fmt.Errorf("making a folder for caches: %w", err), r.Close())
		}
		maps.Copy(own, privateCaches(c.Env, filepath.Join(home, ".cache", "tools")))
	}
	for _, name := range o.Needs.Temp {
		own[name] = own["TMPDIR"]
	}
	for _, v := range o.Needs.Set {
		name, value, _ := strings.Cut(v, "=")
		own[name] = value
	}
	p := w.profile(c, o, home)
	r.dirs = slices.DeleteFunc(append([]string{p.Tree}, p.Write...), func(dir string) bool { return dir == "" })
	if err := w.showGit(&p, o, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if err := w.openWays(r, &p, &c, own, o); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	for _, v := range pickVariables(c.Env, slices.Concat(everyRun, o.Needs.Env, w.Settings.Env)) {
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

// Unconfined returns a run without a sandbox; the limits that can be measured from outside still
// apply.
func (w *Walls) Unconfined(c proc.Cmd, dirs []string) *Run {
	return &Run{Cmd: c, Limits: w.Settings.Limits, dirs: dirs}
}

// Run runs the command within its limits. The error is a sandbox.OverLimit if it exceeded them.
func (r *Run) Run(ctx context.Context) (proc.Result, error) { return r.Limits.Run(ctx, r.Cmd, r.dirs) }

// profile returns what a command sees.
func (w *Walls) profile(c proc.Cmd, o Order, home string) sandbox.Profile {
	user := sandbox.Home(w.Environ)
	p := sandbox.Profile{Etc: filepath.Join(w.State, "sandbox", "etc"),
		Tree: o.Top, Frozen: o.Frozen, Home: user, Network: w.Settings.Network, Limits: w.Settings.Limits,
		Read:  slices.Concat(sandbox.Toolchains(c.Env, user), sandbox.Program(c.Argv[0]), o.Needs.Read, w.Programs, w.Settings.Read),
		Write: slices.Concat([]string{home}, o.Write, w.Settings.Write),
	}
	if o.own != nil {
		p.Read = append(p.Read, o.own.Read...)
		p.Network = cmp.Or(o.own.Network, p.Network)
	}
	if o.ReadOnly {
		p.Tree, p.Read = "", append(p.Read, o.Top)
	}
	return p
}

// Explain describes what a run would see, write and reach.
func (w *Walls) Explain(o Order, environ []string) ([]string, error) {
	home, err := w.home(o)
	if err != nil {
		return nil, err
	}
	p := w.profile(proc.Cmd{Argv: []string{""}, Env: environ}, o, home)
	lines := append([]string{fmt.Sprintf("sandbox    %s, %s", w.Box.Kind(), w.Box.Holds())}, p.Explain()...)
	reach, _ := w.Reach()
	lines = append(lines, "network    "+reach)
	for _, v := range pickVariables(environ, slices.Concat(everyRun, w.Settings.Env)) {
		name, _, _ := strings.Cut(v, "=")
		lines = append(lines, "variable   "+name)
	}
	return lines, nil
}

// Reach describes what agents reach on the network, and whether we limit that.
func (w *Walls) Reach() (hosts string, limited bool) {
	switch {
	case w.Box.Kind() == sandbox.Landlock:
		return "everything: Landlock does not confine the network", false
	case w.Settings.Network == sandbox.ByProxy:
		return strings.Join(append([]string{"the agent's API"}, w.Settings.Hosts...), ", "), w.Box.Kind() == sandbox.Bwrap
	case w.Settings.Network == sandbox.NoNet:
		return "nothing", w.Box.Kind() == sandbox.Bwrap
	}
	return "everything", false
}

// IsGitReadOnly reports whether agents that work see git's folder and cannot write to it.
func (w *Walls) IsGitReadOnly() bool {
	return w.Box.Kind() == sandbox.Landlock || w.Box.Kind() == sandbox.Bwrap && !w.Settings.PrivateGit
}

// Variables returns the variables that point a run's programs to its own folders.
func (w *Walls) Variables(home string, environ []string) map[string]string {
	own := map[string]string{"HOME": home, "TMPDIR": filepath.Join(home, "tmp")}
	if w.Box.Kind() == sandbox.Bwrap {
		own["TMPDIR"] = "/tmp"
	}
	user := sandbox.Home(w.Environ)
	for name, path := range map[string]string{"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "NVM_DIR": ".nvm"} {
		if path = cmp.Or(sandbox.Variable(environ, name), filepath.Join(user, path)); IsFolder(path) {
			own[name] = path
		}
	}
	// The user's modules are read as from a proxy: the cache itself is the run's own, since it has
	// to be writable.
	modules := cmp.Or(sandbox.Variable(environ, "GOMODCACHE"), filepath.Join(cmp.Or(sandbox.Variable(environ, "GOPATH"), filepath.Join(user, "go")), "pkg", "mod"))
	if download := filepath.Join(modules, "cache", "download"); IsFolder(download) {
		own["GOPROXY"] = "file://" + download + "," + goProxy(environ, user)
	}
	return own
}

// Close ends the run's sandbox, and copies back what the user may keep of it.
func (r *Run) Close() error {
	var errs []error
	if r.way != nil {
		errs = append(errs, r.way.Close())
	}
	for _, dir := range []string{r.sockets, r.aside} {
		if dir != "" {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	errs = append(errs, r.copyBack())
	if r.lock != nil {
		errs = append(errs, r.lock.Close())
	}
	return errors.Join(errs...)
}

// pickVariables returns the variables whose names are listed. The one with the key of facts never
// passes, not even by a user's pattern.
func pickVariables(environ, names []string) (kept []string) {
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if name != seal.Variable && slices.ContainsFunc(names, func(n string) bool {
			begin, all := strings.CutSuffix(n, "*")
			return n == name || all && strings.HasPrefix(name, begin)
		}) {
			kept = append(kept, v)
		}
	}
	return kept
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
