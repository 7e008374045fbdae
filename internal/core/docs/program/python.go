package program

import (
	"maps"
	"strings"
)

// readPython finds the commands and flags in Python sources that use argparse
// or click.
func readPython(p *Program, sources []string) {
	grouped := false
	for _, text := range sources {
		switch {
		case strings.Contains(text, "typer"):
			p.OpenFlags, p.OpenCommands = true, true
		case strings.Contains(text, "import fire"), strings.Contains(text, "docopt"):
			p.OpenFlags, p.OpenCommands = true, true
		case strings.Contains(text, "click"):
			grouped = grouped || strings.Contains(text, "click.group") || strings.Contains(text, "click.Group")
			readClick(p, tokens(text, true))
		}
		if strings.Contains(text, "argparse") || strings.Contains(text, "add_argument") {
			readArgparse(p, tokens(text, true))
		}
	}
	p.OpenCommands = p.OpenCommands || len(p.Loose) == 0
	if !grouped && len(p.Loose) == 1 && p.Loose[0].Args && p.Loose[0].click { // a program of one command
		maps.Copy(p.Everywhere, p.Loose[0].Flags)
		p.Loose, p.OpenCommands = nil, true
	}
}

func readArgparse(p *Program, all []piece) {
	parsers := map[string]*Command{}
	for i, t := range all {
		if t.kind != 'w' || i < 2 || i+1 >= len(all) || all[i+1].kind != '(' || all[i-1].kind != '.' {
			continue
		}
		args, _ := arguments(all, i+1)
		receiver := all[i-2].text
		switch t.text {
		case "add_parser":
			if len(args) == 0 || len(texts(args[0])) == 0 {
				p.OpenCommands = true
				continue
			}
			c := newCommand(texts(args[0])[0])
			c.Aliases = texts(keyword(args, "aliases"))
			c.Args = true
			p.Loose = append(p.Loose, c)
			if i > 3 && all[i-3].kind == '=' {
				parsers[all[i-4].text] = c
			}
		case "add_argument":
			into := p.Everywhere
			if c := parsers[receiver]; c != nil {
				into = c.Flags
			}
			argument(p, into, args)
		case "parse_known_args":
			p.OpenFlags = true
		}
	}
}

func argument(p *Program, into map[string]Value, args [][]piece) {
	takes := Always
	if action := texts(keyword(args, "action")); len(action) > 0 && (strings.HasPrefix(action[0], "store_") || action[0] == "count" || action[0] == "version" || action[0] == "help") {
		takes = Never
	}
	if keyword(args, "nargs") != nil || strings.Contains(first(keyword(args, "action")), "BooleanOptionalAction") {
		takes = Maybe
	}
	for _, a := range args {
		if len(a) != 1 || a[0].kind != 's' {
			if len(a) == 1 && a[0].kind == 'w' {
				p.OpenFlags = true // a variable
			}
			continue
		}
		if name := strings.TrimLeft(a[0].text, "-"); name != a[0].text {
			into[name] = takes
			if takes == Maybe {
				into["no-"+name] = Never
			}
		}
	}
}

func first(list []piece) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.text)
	}
	return b.String()
}

// readClick reads functions under decorators.
func readClick(p *Program, all []piece) {
	var at *Command
	for i, t := range all {
		if t.kind == 'w' && t.text == "def" && i+1 < len(all) {
			if at != nil && at.Name == "" {
				at.Name = strings.ReplaceAll(all[i+1].text, "_", "-")
				for _, suffix := range []string{"-command", "-cmd", "-group", "-grp"} {
					if short, ok := strings.CutSuffix(at.Name, suffix); ok {
						at.Aliases = append(at.Aliases, short)
					}
				}
			}
			at = nil
			continue
		}
		if t.kind != '@' {
			continue
		}
		receiver, name, open := decorator(all, i)
		var args [][]piece
		if open > 0 {
			args, _ = arguments(all, open)
		}
		switch name {
		case "command", "group":
			at = newCommand("")
			if len(args) > 0 && len(args[0]) == 1 && args[0][0].kind == 's' {
				at.Name = args[0][0].text
			} else if n := texts(keyword(args, "name")); len(n) > 0 {
				at.Name = n[0]
			}
			if receiver == "click" && name == "group" {
				at = p.Root
				p.Root.Args = keyword(args, "invoke_without_command") != nil
				continue
			}
			at.Args, at.click = name == "command", receiver == "click"
			p.Loose = append(p.Loose, at)
		case "option":
			into := p.Everywhere
			if at != nil {
				into = at.Flags
			}
			clickOption(into, args)
		case "version_option", "help_option":
			p.Everywhere["version"] = Never
		}
	}
}

// decorator reads @receiver.name( at an index.
func decorator(all []piece, i int) (receiver, name string, open int) {
	j := i + 1
	for ; j < len(all) && (all[j].kind == 'w' || all[j].kind == '.'); j++ {
		if all[j].kind == 'w' {
			receiver, name = name, all[j].text
		}
	}
	if j < len(all) && all[j].kind == '(' {
		open = j
	}
	return receiver, name, open
}

func clickOption(into map[string]Value, args [][]piece) {
	takes := Always
	if keyword(args, "is_flag") != nil || keyword(args, "count") != nil {
		takes = Never
	}
	for _, a := range args {
		if len(a) != 1 || a[0].kind != 's' {
			continue
		}
		for name := range strings.SplitSeq(a[0].text, "/") {
			if bare := strings.TrimLeft(strings.TrimSpace(name), "-"); bare != strings.TrimSpace(name) {
				into[bare] = takes
				if strings.Contains(a[0].text, "/") {
					into[bare] = Never
				}
			}
		}
	}
}
