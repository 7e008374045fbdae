// Package program finds out which commands and flags the programs of a
// repository have, from their sources: Go (cobra, pflag, flag, urfave/cli),
// Node (commander, yargs, parseArgs), Python (argparse, click) and shell
// scripts, Make targets and package scripts. It reads sources as a person
// would, without running them: what it cannot tell it leaves open, and what is
// open is never called wrong.
package program

import (
	"slices"
	"strings"
)

// Program is something with a command line.
type Program struct {
	Name string
	Root *Command
	// Everywhere are the flags that any command may have, since it could not
	// be told which one does.
	Everywhere map[string]Value
	// Loose are commands whose place could not be told.
	Loose []*Command
	// OpenFlags, OpenCommands: there may be more than were found.
	OpenFlags, OpenCommands bool
	// OneDash: -name means the same as --name.
	OneDash bool
}

// Value tells whether a flag takes a value.
type Value int

// The kinds of flags.
const (
	Maybe Value = iota
	Never
	Always
)

// Command is a command or subcommand.
type Command struct {
	Name    string
	Aliases []string
	Flags   map[string]Value // names without dashes
	Handed  map[string]Value // flags that its subcommands have too
	Subs    []*Command
	// Args: words behind it need not be subcommands.
	Args bool
	// Open: another program has this command; what it takes is not known here.
	Open bool

	parent *Command
	click  bool // made by click itself, not added to a group
}

func newCommand(name string) *Command {
	return &Command{Name: name, Flags: map[string]Value{}, Handed: map[string]Value{}}
}

func newProgram(name string) *Program {
	return &Program{Name: name, Root: newCommand(name), Everywhere: map[string]Value{}}
}

// Known tells whether anything is known about the program's command line.
func (p *Program) Known() bool {
	return p != nil && (len(p.Everywhere) > 0 || len(p.Loose) > 0 || len(p.Root.Subs) > 0 || len(p.Root.Flags) > 0 || len(p.Root.Handed) > 0)
}

// Commands are all commands but the root, as their paths.
func (p *Program) Commands() []string {
	var all []string
	var walk func(prefix string, list []*Command)
	walk = func(prefix string, list []*Command) {
		for _, c := range list {
			all = append(all, prefix+c.Name)
			walk(prefix+c.Name+" ", c.Subs)
		}
	}
	walk("", p.Root.Subs)
	walk("", p.Loose)
	return all
}

// Flags are the names of all flags.
func (p *Program) Flags() map[string]bool {
	all := map[string]bool{"help": true, "h": true, "version": true}
	add := func(list map[string]Value) {
		for name := range list {
			all[name] = true
		}
	}
	add(p.Everywhere)
	var walk func([]*Command)
	walk = func(list []*Command) {
		for _, c := range list {
			add(c.Flags)
			add(c.Handed)
			walk(c.Subs)
		}
	}
	walk([]*Command{p.Root})
	walk(p.Loose)
	return all
}

func (c *Command) named(name string) bool { return c.Name == name || slices.Contains(c.Aliases, name) }

func (p *Program) sub(of *Command, name string) *Command {
	lists := [][]*Command{of.Subs}
	if !of.Args || of == p.Root {
		lists = append(lists, p.Loose)
	}
	for _, list := range lists {
		if i := slices.IndexFunc(list, func(c *Command) bool { return c.named(name) }); i >= 0 {
			return list[i]
		}
	}
	return nil
}

// flag looks a flag up as a command has it.
func (p *Program) flag(of *Command, name string) (Value, bool) {
	if v, ok := of.Flags[name]; ok {
		return v, true
	}
	for c := of; c != nil; c = c.parent {
		if v, ok := c.Handed[name]; ok {
			return v, true
		}
	}
	if v, ok := p.Root.Handed[name]; ok {
		return v, true
	}
	v, ok := p.Everywhere[name]
	return v, ok || name == "help" || name == "version" || name == "h"
}

// Problem is a word of a command line that the program does not have.
type Problem struct {
	Index   int // of the word
	Flag    bool
	Of      string   // the command that does not have it
	Similar string   // what may have been meant
	Has     []string // what it has instead
}

// Check holds the words behind the program's name against it. Words that are
// not known are "".
func (p *Program) Check(words []string) (Problem, bool) {
	at, path := p.Root, p.Name
	loose := false // the command could not be told
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--":
			return Problem{}, false
		case w == "":
			loose = loose || len(at.Subs) > 0 || at == p.Root && len(p.Loose) > 0
		case len(w) > 1 && w[0] == '-':
			skip, bad := p.checkFlag(at, w, loose)
			if bad {
				return Problem{i, true, path, p.nearFlag(at, w), nil}, true
			}
			if next := i + 1; skip == Always || skip == Maybe && next < len(words) && words[next] != "" && words[next][0] != '-' && p.sub(at, words[next]) == nil {
				i++
			}
		case loose:
		default:
			sub := p.sub(at, w)
			if sub == nil && (w == "help" || w == "completion") {
				return Problem{}, false
			}
			if sub == nil && p.wants(at) && name(w) {
				return Problem{i, false, path, Near(w, p.names(at)), p.names(at)}, true
			}
			if sub == nil && p.OpenCommands && (len(at.Subs) > 0 || at == p.Root && len(p.Loose) > 0) {
				return Problem{}, false // it may be a command that was not found
			}
			if sub == nil {
				at, loose = &Command{Flags: at.Flags, Handed: at.Handed, Args: true, parent: at.parent}, false
				continue
			}
			if at = sub; sub.Open {
				return Problem{}, false
			}
			path += " " + w
		}
	}
	return Problem{}, false
}

// name tells whether a word could be the name of a command at all.
func name(w string) bool {
	for _, r := range w {
		if r != '-' && r != '_' && r != ':' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return w[0] >= 'a' && w[0] <= 'z'
}

// wants tells whether only subcommands may follow a command.
func (p *Program) wants(c *Command) bool {
	if p.OpenCommands || c.Args {
		return false
	}
	return len(c.Subs) > 0 || c == p.Root && len(p.Loose) > 0
}

func (p *Program) names(of *Command) []string {
	all := []string{"help", "completion"}
	list := of.Subs
	if of == p.Root || len(list) == 0 {
		list = slices.Concat(list, p.Loose)
	}
	for _, c := range list {
		all = append(all, c.Name)
	}
	return all
}

func (p *Program) checkFlag(at *Command, w string, loose bool) (takes Value, bad bool) {
	long := strings.HasPrefix(w, "--")
	name, _, has := strings.Cut(strings.TrimLeft(w, "-"), "=")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return Never, false
	}
	look := func(name string) (Value, bool) {
		v, ok := p.flag(at, name)
		if !ok && loose {
			ok = p.Flags()[name]
		}
		return v, ok
	}
	v, ok := look(name)
	if has {
		v = Never
	}
	switch {
	case ok:
		return v, false
	case p.OpenFlags:
		return Maybe, false
	case long || p.OneDash:
		return Maybe, len(name) > 1 || p.OneDash
	}
	for i, r := range name { // -xvf
		v, ok := look(string(r))
		if !ok {
			return Maybe, len(p.shorts()) > 0
		}
		if v != Never && i < len(name)-1 {
			return Never, false // the rest is its value
		}
	}
	return Maybe, false
}

func (p *Program) shorts() []string {
	var all []string
	for name := range p.Flags() {
		if len(name) == 1 && name != "h" {
			all = append(all, name)
		}
	}
	return all
}

func (p *Program) nearFlag(at *Command, w string) string {
	var own, all []string
	for name := range p.Flags() {
		if _, ok := p.flag(at, name); ok {
			own = append(own, name)
		}
		all = append(all, name)
	}
	slices.Sort(own)
	slices.Sort(all)
	bare, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
	if near := Near(bare, own); near != "" {
		return "--" + near
	}
	if near := Near(bare, all); near != "" {
		return "--" + near
	}
	return ""
}
