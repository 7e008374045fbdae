// Package devconfig is the dev environment of a project, as its dev.json says: a
// server, migrations, seed data, users. It knows what the file may say, when a
// server is started again, what has to be run and what a change of the schema
// asks for. Starting, asking and running are left to others.
package devconfig

import (
	"fmt"
	"strings"
	"time"
)

// File is the manifest, at the project's root.
const File = "dev.json"

// Manifest is what dev.json says.
type Manifest struct {
	Server     *Server // nil: there is none
	Migrations *Migrations
	Seed       *Seed
	Auth       *Auth
	Access     Access
}

// Server is the project's dev server.
type Server struct {
	Command   Command
	Directory string // relative to the root
	Port      int    // 0: one that is free
	Health    Health
	Restart   Restart
	Env       []Variable
	First     bool // it is started before migrations and seeds, because it makes the database
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

// Variable is one of the server's environment, in the order of the file.
type Variable struct{ Name, Value string }

// Health says how warp knows that the server serves.
type Health struct {
	Path    string // "": that the port takes a connection is enough
	Status  []int  // none: any from 200 to 399
	Timeout time.Duration
}

// Accepts reports whether an answer is that of a healthy server.
func (h Health) Accepts(status int) bool {
	if len(h.Status) == 0 {
		return status >= 200 && status < 400
	}
	for _, s := range h.Status {
		if s == status {
			return true
		}
	}
	return false
}

func (h Health) String() string {
	if h.Path == "" {
		return "a connection"
	}
	return "GET " + h.Path
}

// Migrations bring the database's schema up to date.
type Migrations struct {
	Directory string
	Command   Command // none: the directory's .sql files are run
	Database  string
}

// Seed is the data that the environment is tried with.
type Seed struct {
	Directory string
	Runner    string   // SQL, or a command that gets a file's path
	Order     []string // file names that come first; the others follow by name
	Database  string
}

// SQL is the runner, and the adapter, that warp has itself.
const SQL = "sql"

// Auth are the users that the environment is tried with.
type Auth struct {
	Adapter   string // SQL or "command"
	Users     string // a file: a list of objects
	Provision string // a statement with :member for each user, or a command that gets the file's path
	Database  string
}

// Access is what a person needs to get in.
type Access struct {
	URLs  []string
	Notes string
}

// Empty reports whether there is nothing to bring up.
func (m Manifest) Empty() bool {
	return m.Server == nil && m.Migrations == nil && m.Seed == nil && m.Auth == nil
}

// Expand puts variables in the place of ${NAME} and $NAME. One that is not set
// is an error: an empty database URL would be another project's.
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

// variable splits what stands behind a dollar into a name and the rest.
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
