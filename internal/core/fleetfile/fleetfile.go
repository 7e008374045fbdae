// Package fleetfile reads fleet.yaml: which repositories a fleet works on, with which workers and
// accounts, and within which caps.
package fleetfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"warp/internal/core/config"
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
			c.say(fmt.Sprintf("$.accounts[%d].agent", i), "agent %q reports no prices, so that caps cannot bind it: what is driven with account %q is parked. Remove the caps, or use another agent", a.Agent, a.Name)
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

type checker struct {
	text     []byte
	problems []Problem
}

// say adds a problem at a path such as $.pools[0].label.
func (c *checker) say(at, format string, args ...any) {
	p := Problem{Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	for ; at != "$" && at != ""; at = at[:max(0, strings.LastIndexAny(at, ".["))] { // something missing has no place of its own
		where, err := yaml.PathString(at)
		if err != nil {
			continue
		}
		n, err := where.ReadNode(bytes.NewReader(c.text))
		if err == nil && n != nil && n.GetToken() != nil {
			p.Line, p.Column = n.GetToken().Position.Line, n.GetToken().Position.Column
			break
		}
	}
	c.problems = append(c.problems, p)
}

// mostDollars is more than any fleet spends, and few enough to be counted in millionths.
const mostDollars = 1e9

// quietHours says which of the hours are none: the decoder does not say where they stand.
func (c *checker) quietHours() {
	var raw struct {
		Quiet []string `yaml:"quiet_hours"`
	}
	if yaml.Unmarshal(c.text, &raw) != nil {
		return
	}
	for i, text := range raw.Quiet {
		if err := new(Hours).UnmarshalText([]byte(text)); err != nil {
			c.say(fmt.Sprintf("$.quiet_hours[%d]", i), "%v", err)
		}
	}
}

// agent notes an agent that there is none of.
func (c *checker) agent(at, name string) {
	if name != "" && !slices.Contains(config.Agents(), name) {
		c.say(at, "there is no agent %q: choose %s", name, strings.Join(config.Agents(), ", "))
	}
}

func (c *checker) check(f *File) {
	if len(f.Repositories) == 0 {
		c.say("$", "there are no repositories")
	}
	if len(f.Pools) == 0 {
		c.say("$", "there are no pools: say which workers there are")
	}
	names := map[string]bool{}
	for i := range f.Repositories {
		r, at := &f.Repositories[i], fmt.Sprintf("$.repositories[%d]", i)
		c.repository(f, r, at)
		folder := strings.ToLower(r.Name) // some file systems ignore case
		if names[folder] {
			c.say(at+".name", "there are two repositories called %q", r.Name)
		}
		names[folder] = true
	}
	c.pools(f)
	c.accounts(f)
	for name, v := range map[string]float64{"night": f.Caps.Night, "day": f.Caps.Day, "per_repository": f.Caps.PerRepository} {
		if !(v >= 0 && v <= mostDollars) {
			c.say("$.caps."+name, "%s must be dollars, not %v", name, v)
		}
	}
	slices.SortFunc(c.problems, func(a, b Problem) int { return (a.Line-b.Line)*10_000 + a.Column - b.Column })
}

func (c *checker) repository(f *File, r *Repository, at string) {
	if r.URL == "" {
		c.say(at, "a repository needs its url")
	}
	if r.Name == "" {
		base := strings.TrimSuffix(path.Base(r.URL), ".git")
		r.Name = base[strings.LastIndexByte(base, ':')+1:] // git@host:shop.git
	}
	if r.URL != "" && !safeName.MatchString(r.Name) {
		c.say(at+".name", "%q cannot be a repository's name, which is a folder's as well: use letters, digits, dots, dashes and underscores", r.Name)
	}
	if secret.MatchString(r.URL) {
		c.say(at+".url", "keep the password out of the url, which everyone sees who looks at the fleet: git's credential helpers have it, or a token of the tracker")
	}
	if r.Tracker != "" && !slices.Contains(trackers, r.Tracker) {
		c.say(at+".tracker", "there is no tracker %q: choose %s", r.Tracker, strings.Join(trackers, ", "))
	}
	if r.Level != 0 && r.Level != 2 && r.Level != 3 {
		c.say(at+".level", "level must be 2 (open pull requests) or 3 (merge), not %d", r.Level)
	}
	if r.AtOnce < 0 {
		c.say(at+".at_once", "at_once must be 0 or more, not %d", r.AtOnce)
	}
	if r.Pool != "" && !slices.ContainsFunc(f.Pools, func(p Pool) bool { return p.Label == r.Pool }) {
		c.say(at+".pool", "there is no pool %q", r.Pool)
	}
}

// safeName matches names that are safe for folders and workflows; none begins with a dot, as those
// that lead elsewhere do.
var safeName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// IsFolderName tells whether a name can be a folder's or a file's as it stands: those of fleets
// and workers are.
func IsFolderName(name string) bool {
	return name != "" && name[0] != '.' && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune(`/\:`, r)
	})
}

func (c *checker) pools(f *File) {
	labels := map[string]bool{}
	for i, p := range f.Pools {
		at := fmt.Sprintf("$.pools[%d]", i)
		switch {
		case p.Label == "":
			c.say(at, "a pool needs its label")
		case labels[p.Label]:
			c.say(at+".label", "there are two pools called %q", p.Label)
		case !IsFolderName(p.Label):
			c.say(at+".label", "%q cannot be a pool's label, which is in the names of folders as well: leave out slashes, colons and a dot at its beginning", p.Label)
		}
		labels[p.Label] = true
		if p.Slots < 1 {
			c.say(at+".slots", "slots must be 1 or more, not %d", p.Slots)
		}
		if len(p.Accounts) == 0 {
			c.say(at, "pool %q has no accounts: its agents could not work", p.Label)
		}
		for n, name := range p.Agents {
			c.agent(fmt.Sprintf("%s.agents[%d]", at, n), name)
		}
		for n, name := range p.Accounts {
			i := slices.IndexFunc(f.Accounts, func(a Account) bool { return a.Name == name })
			switch at := fmt.Sprintf("%s.accounts[%d]", at, n); {
			case i < 0:
				c.say(at, "there is no account %q", name)
			case f.Accounts[i].Agent != "" && len(p.Agents) > 0 && !slices.Contains(p.Agents, f.Accounts[i].Agent):
				c.say(at, "account %q is for the agent %q, which is not among the agents of pool %q", name, f.Accounts[i].Agent, p.Label)
			}
		}
	}
}

func (c *checker) accounts(f *File) {
	names := map[string]bool{}
	for i, a := range f.Accounts {
		at := fmt.Sprintf("$.accounts[%d]", i)
		switch {
		case a.Name == "":
			c.say(at, "an account needs its name")
		case names[a.Name]:
			c.say(at+".name", "there are two accounts called %q", a.Name)
		}
		names[a.Name] = true
		c.agent(at+".agent", a.Agent)
		if !(a.WindowShare >= 0 && a.WindowShare <= 1) {
			c.say(at+".window_share", "window_share must be from 0 to 1, not %v", a.WindowShare)
		}
		if a.AtOnce < 0 {
			c.say(at+".at_once", "at_once must be 0 or more, not %d", a.AtOnce)
		}
	}
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
