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

// The kinds. Auto is the best that works on this machine.
const (
	Auto      Kind = "auto"
	Bwrap     Kind = "bwrap"
	Landlock  Kind = "landlock"
	Container Kind = "container"
	Off       Kind = "off"
)

// Holds is how well a process is confined, in the words of status and report.
type Holds string

// The levels of confinement.
const (
	Contained Holds = "contained"
	Partly    Holds = "partly contained"
	Not       Holds = "not contained"
)

// Network is what a confined process can reach.
type Network string

// The networks: the hosts that the profile names, nothing, everything.
const (
	ByProxy Network = "agent"
	NoNet   Network = "off"
	OpenNet Network = "on"
)

// Bind is a folder or file that appears under another path.
type Bind struct {
	From, To string
	ReadOnly bool
}

// Profile is what a process may see, write and reach. Paths are absolute. A deeper path overrides
// the one above it, whatever list it is on.
type Profile struct {
	Tree   string   // the work tree, writable
	Frozen []string // read-only, although below something writable
	Read   []string // visible; missing paths are skipped
	Write  []string // visible and writable
	Binds  []Bind   // visible under another path; they override the other lists
	Etc    string   // a folder for copies of parts of /etc; "" if none are made
	Home   string   // an empty, temporary home folder; "" if it has none
	Env    []string // the whole environment

	Network  Network
	Sockets  string    // a folder with Unix sockets that it may connect to; "" if none
	Forwards []Forward // loopback ports that lead to one of them
	Limits   Limits
}

// Forward maps a loopback port inside to a Unix socket.
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

// Options configures a Box.
type Options struct {
	Kind      Kind
	Self      string   // this program, also the first process in a box
	Container []string // the command line for Kind Container
}

// Chosen is the reason given when a person chose not to use a sandbox.
const Chosen = "it was chosen"

// Open returns the box of a kind. why is the reason that a better one does not work here; an error
// means that the requested kind does not.
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
	return nil, "", fmt.Errorf("there is no sandbox %q; choose one of %s, %s, %s, %s, %s", o.Kind, Auto, Bwrap, Landlock, Container, Off)
}

// SocketPath returns where a process in a box finds a socket of Profile.Sockets.
func SocketPath(b Box, dir, name string) string {
	if b.Kind() == Bwrap {
		return insideSockets + "/" + name
	}
	return filepath.Join(dir, name)
}

// none confines nothing.
type none struct{}

func (none) Kind() Kind   { return Off }
func (none) Holds() Holds { return Not }

// Wrap leaves the command as it is: without a box, its needs are not known either.
func (none) Wrap(c proc.Cmd, _ Profile) (proc.Cmd, error) { return c, nil }

// container leaves confinement to a command line of the user's. In it, {dir}, {tree} and {home}
// stand for those folders, {env} for "-e NAME" of each variable but PATH, which is the image's, and
// {binds} for "-v FROM:TO[:ro]" of each path.
type container struct{ argv []string }

func (container) Kind() Kind   { return Container }
func (container) Holds() Holds { return Contained }

func (b container) Wrap(c proc.Cmd, p Profile) (proc.Cmd, error) {
	var argv []string
	replace := strings.NewReplacer("{dir}", c.Dir, "{tree}", p.Tree, "{home}", Variable(p.Env, "HOME"))
	for _, word := range b.argv {
		switch word {
		case "{env}":
			for _, v := range p.Env {
				if name, _, _ := strings.Cut(v, "="); name != "PATH" {
					argv = append(argv, "-e", name) // the value is inherited, and so not in the list of processes
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
