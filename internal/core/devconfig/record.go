package devconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Version is the record's version.
const Version = 1

// RecordFile is the record, under the project's .claude folder.
const RecordFile = "state/dev.json"

// Record is what warp knows about a project's environment.
type Record struct {
	Version int      `json:"version"`
	Server  *Running `json:"server,omitempty"`
	Done    []Done   `json:"done,omitempty"`
}

// State is the state of a server.
type State string

const (
	Starting State = "starting"
	Serving  State = "running"
	Waiting  State = "waiting" // for the next start
	Ended    State = "ended"   // it will not restart
)

// Running is a server and the process that supervises it.
type Running struct {
	State      State  `json:"state"`
	Supervisor int    `json:"supervisor_pid"`
	Stamp      string `json:"supervisor_stamp,omitempty"`
	PID        int    `json:"pid,omitempty"`
	PIDStamp   string `json:"pid_stamp,omitempty"`
	// Mark is in the environment of the server and everything it started.
	Mark     string `json:"mark"`
	Port     int    `json:"port"`
	Manifest string `json:"manifest"` // hash of the server's part of dev.json
	Since    string `json:"since"`
	Starts   int    `json:"starts"`
	Exit     int    `json:"exit,omitempty"`
}

// Done is something that ran, and need not run again while its content is the same.
type Done struct {
	Kind string `json:"kind"` // migration, seed or users
	Name string `json:"name"`
	Hash string `json:"hash"`
	At   string `json:"at"`
}

// What runs once.
const (
	Migration = "migration"
	SeedData  = "seed"
	Users     = "users"
)

// Hash returns a hash of some contents.
func Hash(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256(p)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Was returns the hash of the content that last ran; "" if none did.
func (r *Record) Was(kind, name string) string {
	for _, d := range r.Done {
		if d.Kind == kind && d.Name == name {
			return d.Hash
		}
	}
	return ""
}

// Note records that something ran.
func (r *Record) Note(d Done) {
	r.Done = slices.DeleteFunc(r.Done, func(o Done) bool { return o.Kind == d.Kind && o.Name == d.Name })
	r.Done = append(r.Done, d)
}
