// Package devconfig describes a project's dev environment, from its dev.json: a server, migrations,
// seed data, users. It knows the file's format, when to restart a server, what has to run, and what
// a schema change needs. Other packages start, probe and run things.
package devconfig

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// File is the manifest, at the project's root.
const File = "dev.json"

// Manifest is the content of dev.json.
type Manifest struct {
	Server     *Server // nil if there is none
	Migrations *Migrations
	Seed       *Seed
	Auth       *Auth
	Access     Access
}

// Server is the project's dev server.
type Server struct {
	Command   Command
	Directory string // relative to the root
	Port      int    // 0: any free one
	Health    Health
	Restart   Restart
	Env       []Variable
	First     bool // start it before migrations and seeds, because it creates the database
}

// Command is a command line for a shell, or a program with its arguments.
type Command struct {
	Line string
	Argv []string
}

func (c Command) String() string {
	if c.Line != "" {
		return c.Line
	}
	return strings.Join(c.Argv, " ")
}

// Set reports whether there is a command.
func (c Command) Set() bool { return c.Line != "" || len(c.Argv) > 0 }

// Variable is an environment variable of the server, in file order.
type Variable struct{ Name, Value string }

// Health describes how to check that the server works.
type Health struct {
	Path    string // "": the port accepting a connection is enough
	Status  []int  // none: any from 200 to 399
	Timeout time.Duration
}

// Accepts reports whether the status is a healthy server's.
func (h Health) Accepts(status int) bool {
	if len(h.Status) == 0 {
		return status >= 200 && status < 400
	}
	return slices.Contains(h.Status, status)
}

func (h Health) String() string {
	if h.Path == "" {
		return "a connection"
	}
	return "GET " + h.Path
}

// Migrations update the database's schema.
type Migrations struct {
	Directory string
	Command   Command // none: run the directory's .sql files
	Database  string
}

// Seed is the environment's test data.
type Seed struct {
	Directory string
	Runner    string   // SQL, or a command that gets a file's path
	Order     []string // file names that come first; the others follow by name
	Database  string
}

// SQL is the built-in runner and adapter.
const SQL = "sql"

// Auth describes the environment's test users.
type Auth struct {
	Adapter   string // SQL or "command"
	Users     string // a file with a list of objects
	Provision string // a statement with :member for each user, or a command that gets the file's path
	Database  string
}

// Access is what a person needs to log in.
type Access struct {
	URLs  []string
	Notes string
}

// Empty reports whether there is nothing to start.
func (m Manifest) Empty() bool {
	return m.Server == nil && m.Migrations == nil && m.Seed == nil && m.Auth == nil
}

// Expand replaces ${NAME} and $NAME by variables. An unset one is an error: an empty database URL
// would be another project's.
func Expand(text string, lookup func(string) (string, bool)) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, ok := variable(rest)
		if !ok {
			b.WriteByte('$')
			text = rest
			continue
		}
		name, otherwise, has := strings.Cut(name, ":-")
		value, set := lookup(name)
		switch {
		case set && value != "":
			b.WriteString(value)
		case has:
			b.WriteString(otherwise)
		default:
			return "", fmt.Errorf("the variable %s is not set", name)
		}
		text = after
	}
}

// variable splits the text after a dollar into a name and the rest.
func variable(text string) (name, rest string, ok bool) {
	if inner, found := strings.CutPrefix(text, "{"); found {
		name, rest, ok = strings.Cut(inner, "}")
		return name, rest, ok && name != ""
	}
	n := 0
	for n < len(text) && (text[n] == '_' || text[n] >= 'A' && text[n] <= 'Z' || text[n] >= 'a' && text[n] <= 'z' || n > 0 && text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return text[:n], text[n:], n > 0
}

// Policy decides which exits of a server lead to a restart.
type Policy string

const (
	OnFailure Policy = "on-failure"
	Always    Policy = "always"
	Never     Policy = "never"
)

// Restart is when, and how often, a server restarts.
type Restart struct {
	Policy Policy
	Max    int // consecutive starts that did not last
}

const (
	firstPause   = 500 * time.Millisecond
	longestPause = 30 * time.Second
	// lasting is how long a server must run for its exit not to count as another failure in a row.
	lasting = time.Minute
)

// Next decides what follows a server's exit after failed failures in a row: the new count, how long
// to wait, and whether to restart at all.
func (r Restart) Next(exit int, ran time.Duration, failed int) (count int, pause time.Duration, again bool) {
	if ran >= lasting {
		failed = 0
	}
	if r.Policy == Never || r.Policy == OnFailure && exit == 0 || failed >= r.Max {
		return failed, 0, false
	}
	pause = longestPause
	if failed < 6 {
		pause = min(firstPause<<failed, longestPause)
	}
	return failed + 1, pause, true
}
