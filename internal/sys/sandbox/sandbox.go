// Package sandbox keeps a process away from what it need not see or change.
//
// A Profile says what a process may see, write and reach; a Box turns a command
// into one that is confined to it. There are three:
//
//   - bwrap (bubblewrap): its own namespaces. Nothing outside of the profile is
//     visible, nothing outlives the run, and the network is a proxy of ours.
//   - landlock, where namespaces are not allowed: the kernel refuses paths outside of
//     the profile. Processes, Unix sockets and UDP are not confined, so what it holds
//     is said to be partly contained.
//   - container: a command line of the user's choice, which is trusted to confine.
//
// What is inside a box cannot be known by asking it; so nothing here
// believes what a confined process says.
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"warp/internal/sys/proc"
)

// Kind is a way to confine a process.
type Kind string

// The kinds. Auto is the best that works here.
const (
	Auto      Kind = "auto"
	Bwrap     Kind = "bwrap"
	Landlock  Kind = "landlock"
	Container Kind = "container"
	Off       Kind = "off"
)

// allKinds are all that a user may choose.
var allKinds = []Kind{Auto, Bwrap, Landlock, Container, Off}

// Holds says how well a process is confined, in the words of status and report.
type Holds string

// How well.
const (
	Contained Holds = "contained"
	Partly    Holds = "partly contained"
	Not       Holds = "not contained"
)

// Network is what a confined process reaches.
type Network string

// The networks: the hosts that the profile names, nothing, everything.
const (
	ByProxy Network = "agent"
	NoNet   Network = "off"
	OpenNet Network = "on"
)

// Bind is a folder or file that is seen under another path.
type Bind struct {
	From, To string
	ReadOnly bool
}

// Profile is what a process may see, write and reach. Paths are absolute. A deeper
// path counts more than the one it is below, whatever list it is on.
type Profile struct {
	Tree   string   // the work tree, writable
	Frozen []string // below something writable, and read-only all the same
	Read   []string // visible; what is missing is passed over
	Write  []string // visible and writable
	Binds  []Bind   // under another path, and stronger than what the other lists say of it
	Etc    string   // a folder for copies of what it sees of /etc; "": none are made
	Home   string   // its home folder, which is empty and forgotten; "": it has none
	Env    []string // all of its environment

	Network  Network
	Sockets  string    // a folder with Unix sockets that it may connect to; "": none
	Forwards []Forward // ports on its loopback that lead to one of them
	Limits   Limits
}

// Forward is a port on the loopback inside that leads to a Unix socket.
type Forward struct {
	Port   int    `json:"port"`
	Socket string `json:"socket"` // a file name in Profile.Sockets
}

// Box confines commands.
type Box interface {
	Kind() Kind
	Holds() Holds
	// Wrap turns a command into one that is confined to a profile.
	Wrap(c proc.Cmd, p Profile) (proc.Cmd, error)
}

// Options are what a Box needs to know.
type Options struct {
	Kind      Kind
	Self      string   // this program, which is also the first process in a box
	Container []string // the command line of Kind Container
}

// Chosen is why there is no better one where a person wants none.
const Chosen = "it was chosen"

// Open finds the box of a kind. Why says why a better one than it does not work
// here; an error, that the kind that was asked for does not.
func Open(o Options) (box Box, why string, err error) {
	if !able && (o.Kind == Auto || o.Kind == "") {
		o.Kind = Off
	}
	if !able && (o.Kind == Bwrap || o.Kind == Landlock) {
		return nil, "", errors.New("this program cannot start a sandbox")
	}
	switch o.Kind {
	case Off:
		return none{}, Chosen, nil
	case Container:
		if len(o.Container) == 0 {
			return nil, "", fmt.Errorf("sandbox: container needs a command line: warp config set sandbox_container '[\"docker\", \"run\", ...]'")
		}
		return container{o.Container}, Chosen, nil
	case Bwrap:
		box, err = openBwrap(o.Self)
		return box, "", err
	case Landlock:
		box, err = openLandlock(o.Self)
		return box, Chosen, err
	case Auto, "":
		if box, err = openBwrap(o.Self); err == nil {
			return box, "", nil
		}
		why = err.Error()
		if box, err = openLandlock(o.Self); err == nil {
			return box, why, nil
		}
		if runtime.GOOS == "linux" {
			why += "; " + err.Error()
		}
		return none{}, why, nil
	}
	return nil, "", fmt.Errorf("there is no sandbox %q; choose one of %s", o.Kind, join(allKinds))
}

func join(kinds []Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// SocketPath is where a process inside of a box finds a socket of Profile.Sockets.
func SocketPath(b Box, dir, name string) string {
	if b.Kind() == Bwrap {
		return insideSockets + "/" + name
	}
	return filepath.Join(dir, name)
}

// none confines nothing: the environment is the profile's, and that is all.
type none struct{}

func (none) Kind() Kind   { return Off }
func (none) Holds() Holds { return Not }

// Wrap leaves the command as it is: without a box, what it needs of the machine is
// not known either.
func (none) Wrap(c proc.Cmd, _ Profile) (proc.Cmd, error) { return c, nil }

// container leaves the confining to a command line of the user's. In its words,
// {dir}, {tree} and {home} stand for those folders, and {env} for "-e NAME" of each
// variable but PATH, which is the image's; {binds} for "-v FROM:TO[:ro]" of each path.
type container struct{ argv []string }

func (container) Kind() Kind   { return Container }
func (container) Holds() Holds { return Contained }

func (b container) Wrap(c proc.Cmd, p Profile) (proc.Cmd, error) {
	var argv []string
	replace := strings.NewReplacer("{dir}", c.Dir, "{tree}", p.Tree, "{home}", variable(p.Env, "HOME"))
	for _, word := range b.argv {
		switch word {
		case "{env}":
			for _, v := range p.Env {
				if name, _, _ := strings.Cut(v, "="); name != "PATH" {
					argv = append(argv, "-e", name) // the value is inherited, and in no list of processes
				}
			}
		case "{binds}":
			for _, m := range p.mounts() {
				argv = append(argv, m.volume()...)
			}
			if p.Sockets != "" {
				argv = append(argv, mount{p.Sockets, p.Sockets, readOnly}.volume()...)
			}
		default:
			argv = append(argv, replace.Replace(word))
		}
	}
	c.Argv, c.Env = slices.Concat(argv, c.Argv), p.Env
	return c, nil
}
