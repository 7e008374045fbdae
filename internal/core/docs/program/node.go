package program

import (
	"strings"
)

// readNode finds the commands and flags in JavaScript or TypeScript sources
// that use commander, yargs or parseArgs.
func readNode(p *Program, sources []string) {
	for _, text := range sources {
		switch {
		case mentions(text, "commander"), mentions(text, "yargs"), mentions(text, "cac"), mentions(text, "sade"):
			readChains(p, tokens(text, false))
		case strings.Contains(text, "parseArgs"):
			readParseArgs(p, tokens(text, false))
		case mentions(text, "minimist"), mentions(text, "meow"), mentions(text, "arg"), mentions(text, "@oclif/core"), mentions(text, "clipanion"), mentions(text, "citty"):
			p.OpenFlags, p.OpenCommands = true, true
		}
	}
	p.OpenCommands = p.OpenCommands || len(p.Loose) == 0
}

// mentions tells whether a source imports a package.
func mentions(text, name string) bool {
	return strings.Contains(text, "'"+name+"'") || strings.Contains(text, `"`+name+`"`) || strings.Contains(text, "'"+name+"/") || strings.Contains(text, `"`+name+"/")
}

// readChains reads .command('x').option('-y, --z') chains. An option belongs to
// the command before it in the same statement.
func readChains(p *Program, all []piece) {
	var at *Command
	for i, t := range all {
		if newStatement(all, i) {
			at = nil
		}
		if t.kind != 'w' || i+1 >= len(all) || all[i+1].kind != '(' {
			if t.kind == 'w' && t.text == "builder" && i+2 < len(all) && all[i+1].kind == ':' && all[i+2].kind == '{' {
				readBuilder(p, all, i+2)
			}
			if t.kind == 'w' && t.text == "command" && i+2 < len(all) && all[i+1].kind == ':' {
				named(p, texts(all[i+2:i+3]))
			}
			continue
		}
		method := i > 0 && all[i-1].kind == '.'
		args, _ := arguments(all, i+1)
		if len(args) == 0 {
			continue
		}
		switch {
		case method && t.text == "command":
			if c := named(p, texts(args[0])); c != nil {
				at = c
			} else if args[0][0].kind != '{' && args[0][0].kind != '[' {
				p.OpenCommands = true
			}
		case method && (t.text == "alias" || t.text == "aliases") && at != nil:
			at.Aliases = append(at.Aliases, texts(args[0])...)
		case method && (t.text == "option" || t.text == "requiredOption" || t.text == "positional"), !method && t.text == "Option" && i > 0 && all[i-1].text == "new":
			option(p, at, args)
		case method && t.text == "options" && args[0][0].kind == '{':
			readBuilder(p, args[0], 0)
		case method && (t.text == "allowUnknownOption" || t.text == "passThroughOptions"):
			p.OpenFlags = true
		case method && (t.text == "arguments" || t.text == "argument") && at == nil:
			p.Root.Args = true
		}
	}
}

// newStatement tells whether a new statement begins at a token.
func newStatement(all []piece, i int) bool {
	if i == 0 {
		return true
	}
	before := all[i-1]
	if before.kind == ';' {
		return true
	}
	return before.kind == 'n' && all[i].kind == 'w' && i > 1 && (all[i-2].kind == ')' || all[i-2].kind == '}' || all[i-2].kind == 'n' || all[i-2].kind == 's' || all[i-2].kind == 'w')
}

// named makes a command of a specification such as 'serve <port>'.
func named(p *Program, spec []string) *Command {
	if len(spec) == 0 {
		return nil
	}
	f := strings.Fields(spec[0])
	if len(f) == 0 || strings.HasPrefix(f[0], "$") || strings.HasPrefix(f[0], "<") || strings.HasPrefix(f[0], "[") {
		p.Root.Args = true
		return nil
	}
	c := newCommand(f[0])
	c.Args = true
	p.Loose = append(p.Loose, c)
	return c
}

// option takes an option in: '-p, --port <n>' as commander writes it, or
// 'port', {alias: 'p'} as yargs does.
func option(p *Program, at *Command, args [][]piece) {
	spec := texts(args[0])
	if len(spec) == 0 {
		p.OpenFlags = true
		return
	}
	into := p.Everywhere
	if at != nil {
		into = at.Flags
	}
	takes := Never
	if strings.ContainsAny(spec[0], "<[") {
		takes = Always
	}
	dashed := strings.HasPrefix(spec[0], "-")
	if !dashed {
		takes = Maybe
		into[spec[0]] = takes
		if len(args) > 1 {
			inner, _ := arguments(args[1], 0)
			for _, a := range texts(keyword(inner, "alias")) {
				into[a] = takes
			}
		}
		return
	}
	for f := range strings.FieldsFuncSeq(spec[0], func(r rune) bool { return r == ' ' || r == ',' || r == '|' }) {
		if name := strings.TrimLeft(f, "-"); name != f && name != "" {
			into[name] = takes
			if positive, ok := strings.CutPrefix(name, "no-"); ok {
				into[positive] = takes
			}
		}
	}
}

// readBuilder takes the members of an object in as flags.
func readBuilder(p *Program, all []piece, open int) {
	members, _ := arguments(all, open)
	for _, m := range members {
		if len(m) < 3 || m[1].kind != ':' || m[0].text == "" {
			p.OpenFlags = true
			continue
		}
		p.Everywhere[m[0].text] = Maybe
		inner, _ := arguments(m, 2)
		for _, key := range []string{"alias", "short"} {
			for _, a := range texts(keyword(inner, key)) {
				p.Everywhere[a] = Maybe
			}
		}
	}
}

// readParseArgs reads parseArgs({options: {…}}).
func readParseArgs(p *Program, all []piece) {
	found := false
	for i, t := range all {
		if t.text == "options" && i+2 < len(all) && all[i+1].kind == ':' && all[i+2].kind == '{' {
			found = true
			readBuilder(p, all, i+2)
		}
	}
	if !found {
		p.OpenFlags = true
	}
}
