package devconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Version is the record's.
const Version = 1

// RecordFile is the record, under the project's .claude folder.
const RecordFile = "state/dev.json"

// Record is what is known of a project's environment.
type Record struct {
	Version int      `json:"version"`
	Server  *Running `json:"server,omitempty"`
	Done    []Done   `json:"done,omitempty"`
}

// State is what a supervisor knows of its server.
type State string

// The states of a server.
const (
	Starting State = "starting"
	Serving  State = "running"
	Waiting  State = "waiting" // for the next start
	Ended    State = "ended"   // it will not be started again
)

// Running is a server and the process that watches over it.
type Running struct {
	State      State  `json:"state"`
	Supervisor int    `json:"supervisor_pid"`
	Stamp      string `json:"supervisor_stamp,omitempty"`
	PID        int    `json:"pid,omitempty"`
	PIDStamp   string `json:"pid_stamp,omitempty"`
	// Mark is in the environment of the server and all that it started.
	Mark     string `json:"mark"`
	Port     int    `json:"port"`
	Manifest string `json:"manifest"` // the hash of what dev.json says of the server
	Since    string `json:"since"`
	Starts   int    `json:"starts"`
	Exit     int    `json:"exit,omitempty"`
}

// Done is something that was run, which need not be run again while the content
// is the same.
type Done struct {
	Kind string `json:"kind"` // migration, seed or users
	Name string `json:"name"`
	Hash string `json:"hash"`
	At   string `json:"at"`
}

// The kinds of what is run once.
const (
	Migration = "migration"
	SeedData  = "seed"
	Users     = "users"
)

// Hash is the hash of some contents.
func Hash(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256(p)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Was tells which content of something was run last; "" when none was.
func (r *Record) Was(kind, name string) string {
	for _, d := range r.Done {
		if d.Kind == kind && d.Name == name {
			return d.Hash
		}
	}
	return ""
}

// Note remembers that something was run.
func (r *Record) Note(d Done) {
	r.Done = slices.DeleteFunc(r.Done, func(o Done) bool { return o.Kind == d.Kind && o.Name == d.Name })
	r.Done = append(r.Done, d)
}
