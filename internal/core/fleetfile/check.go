package fleetfile

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"warp/internal/core/config"
)

type checker struct {
	text     []byte
	problems []Problem
}

// say adds a problem at a path such as $.pools[0].label.
func (c *checker) say(at, format string, args ...any) {
	p := Problem{Line: 1, Column: 1, Text: fmt.Sprintf(format, args...)}
	for ; at != "$" && at != ""; at = at[:max(0, strings.LastIndexAny(at, ".["))] { // something missing has no position
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
		c.say(at+".url", "keep the password out of the url, which is visible to everyone who looks at the fleet: use git's credential helpers, or a token of the tracker")
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
