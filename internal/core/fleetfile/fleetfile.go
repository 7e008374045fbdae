// Package fleetfile reads fleet.yaml: which repositories a fleet works on, with which workers and
// accounts, and within which caps.
package fleetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"warp/internal/core/schedule"
)

// File is the content of a fleet.yaml.
type File struct {
	Repositories []Repository `yaml:"repositories"`
	Pools        []Pool       `yaml:"pools"`
	Accounts     []Account    `yaml:"accounts"`
	Caps         Caps         `yaml:"caps"`
	Quiet        []Hours      `yaml:"quiet_hours"`
}

// Repository is one that the fleet works on.
type Repository struct {
	Name     string   `yaml:"name"` // "": the last part of the URL
	URL      string   `yaml:"url"`
	Target   string   `yaml:"target"`  // the branch; "": the remote's default
	Tracker  string   `yaml:"tracker"` // "": from the URL
	Level    int      `yaml:"level"`
	Labels   []string `yaml:"labels"` // required on an issue
	Priority int      `yaml:"priority"`
	AtOnce   int      `yaml:"at_once"` // 0: no limit
	Pool     string   `yaml:"pool"`    // "": any
}

// Pool is a group of workers of one kind, by label.
type Pool struct {
	Label    string   `yaml:"label"`
	Slots    int      `yaml:"slots"` // per worker
	Agents   []string `yaml:"agents"`
	Accounts []string `yaml:"accounts"`
}

// Account is a subscription or a key that agents use.
type Account struct {
	Name        string  `yaml:"name"`
	Agent       string  `yaml:"agent"`
	AtOnce      int     `yaml:"at_once"`
	WindowShare float64 `yaml:"window_share"` // share of its windows that the fleet may use, 0 to 1; 0: all
}

// Caps limit the money, in dollars; 0: no limit.
type Caps struct {
	Night         float64 `yaml:"night"`
	Day           float64 `yaml:"day"`
	PerRepository float64 `yaml:"per_repository"`
}

// Problem is an error in a file, with its place.
type Problem struct {
	Line, Column int
	Text         string
}

// String formats the problem as compilers do.
func (p Problem) String() string { return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Text) }

// secret matches what a URL must not contain: a password, or a token in place of a user. It also
// matches malformed URLs.
var secret = regexp.MustCompile(`(?i)^(https?://[^/]*@|[a-z0-9+.-]+://[^/]*:[^/]*@)`)

var trackers = []string{"github", "gitea", "local"}

// Parse reads a file and returns all of its problems; a file with problems must not be used.
func Parse(text []byte) (*File, []Problem) {
	f := &File{}
	dec := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	c := &checker{text: text}
	if err := dec.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		if c.quietHours(); len(c.problems) == 0 {
			c.problems = []Problem{syntax(err)}
		}
		return f, c.problems
	}
	c.check(f)
	return f, c.problems
}

// unpriced are agents that report neither usage nor cost.
var unpriced = []string{"command"}

// Warn lists valid settings that will not work as they seem to, with their places.
func Warn(text []byte, f *File) []Problem {
	c := &checker{text: text}
	for i, a := range f.Accounts {
		if f.Caps != (Caps{}) && slices.Contains(unpriced, a.Agent) {
			c.say(fmt.Sprintf("$.accounts[%d].agent", i), "agent %q reports no prices, so caps cannot limit it: issues driven with account %q are parked. Remove the caps, or use another agent", a.Agent, a.Name)
		}
	}
	return c.problems
}

// wrongType matches the decoder's message about something that is not a number.
var wrongType = regexp.MustCompile(`^cannot unmarshal (\S+) into Go .*of type (int|float64)\b.*$`)

// syntax converts the decoder's error to a problem.
func syntax(err error) Problem {
	p := Problem{Line: 1, Column: 1, Text: strings.TrimSpace(yaml.FormatError(err, false, false))}
	var e yaml.Error
	if errors.As(err, &e) {
		p.Text = wrongType.ReplaceAllString(e.GetMessage(), "this must be a number, not $1")
		if t := e.GetToken(); t != nil && t.Position != nil {
			p.Line, p.Column = t.Position.Line, t.Position.Column
		}
	}
	return p
}

// Schedule returns the fleet in the scheduler's terms.
func (f *File) Schedule() (repos []schedule.Repository, accounts []schedule.Account, caps schedule.Caps) {
	caps = schedule.Caps{Night: micro(f.Caps.Night), Day: micro(f.Caps.Day), Repo: map[string]int64{}}
	for _, r := range f.Repositories {
		repos = append(repos, schedule.Repository{Name: r.Name, Priority: r.Priority, Most: r.AtOnce, Pool: r.Pool})
		caps.Repo[r.Name] = micro(f.Caps.PerRepository)
	}
	for _, a := range f.Accounts {
		accounts = append(accounts, schedule.Account{Name: a.Name, Most: a.AtOnce, Share: a.WindowShare})
	}
	return repos, accounts, caps
}

func micro(dollars float64) int64 { return int64(dollars*1e6 + 0.5) }
