package program_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"warp/internal/core/docs/program"
	"warp/internal/core/docs/tree"
)

func take(archive string) *program.Inventory {
	files := map[string]string{}
	var names []string
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = string(f.Data)
		names = append(names, f.Name)
	}
	return program.Take(tree.New(names, func(n string) (string, bool) { s, ok := files[n]; return s, ok }))
}

// check wants each line to be accepted, or, behind a !, its last word refused.
func check(t *testing.T, v *program.Inventory, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		line, refused := strings.CutPrefix(strings.TrimSpace(line), "! ")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		p := v.Named(words[0])
		if strings.Contains(words[0], "/") {
			p = v.At(words[0])
		}
		if !p.Known() {
			t.Errorf("%s: nothing is known", words[0])
			continue
		}
		for i, w := range words {
			if w == "_" {
				words[i] = ""
			}
		}
		bad, found := p.Check(words[1:])
		if found != refused || found && bad.Index != len(words)-2 {
			t.Errorf("%s: %v %+v", line, found, bad)
		}
	}
}

func TestCobra(t *testing.T) {
	v := take(`
-- go.mod --
module example.com/x/v2
-- cmd/ctl/main.go --
package main
import ("example.com/x/v2/cmds"; "example.com/x/v2/more"; c "github.com/spf13/cobra"; "github.com/spf13/pflag")
const listUse = "list"
func leave(name string) *c.Command { return &c.Command{Use: name, DisableFlagParsing: true} }
func main() {
	root := &c.Command{Use: "ctl"}
	root.PersistentFlags().CountP("verbose", "v", "")
	root.AddCommand(cmds.Get, more.New(), &c.Command{Use: "in" + "line", Run: nil})
	list := &c.Command{Use: listUse, Aliases: []string{"ls", listUse + "s"}, Args: c.NoArgs, Run: nil}
	common(list)
	sets(list.Flags())
	root.AddCommand(list, list, nil)
	_ = leave("away"); _ = leave("far <x>")
	pflag.String("global", "", "")
	root.Execute()
}
func common(cmd *c.Command) { f := cmd.Flags(); f.VarP(nil, "out", "o", "") }
func sets(f *pflag.FlagSet) { f.DurationVar(nil, "wait", 0, "") }
-- cmds/get.go --
package cmds
import "github.com/spf13/cobra"
var Get = &cobra.Command{Use: "get NAME", Args: cobra.ExactArgs(1), RunE: nil}
func init() { Get.Flags().StringVar(nil, "as", "", ""); Get.AddCommand(sub) }
var sub = &cobra.Command{Use: "all", Args: func() {}}
-- more/more.go --
package more
import "github.com/spf13/cobra"
const Use = "more"
func New() *cobra.Command { cmd := &cobra.Command{Use: Use}; cmd.AddCommand(one()); return cmd }
func one() *cobra.Command { return &cobra.Command{Use: "one", Run: nil} }
-- cmd/ctl/main_test.go --
package main
-- vendor/x/y.go --
package y
-- broken.go --
package
-- examples/demo/main.go --
package main
`)
	check(t, v, `
		ctl get x --as y -vv
		ctl get all
		ctl inline --out x --wait 3s --global y
		ctl ls
		ctl lists --help
		ctl more one anything
		ctl away --with whatever
		ctl -- nothing
		ctl help nothing
		ctl _ --as y
		ctl get -o=x x -3
		! ctl nothing
		! ctl more two
		! ctl list --as
		! ctl get -x
		! ctl _ --nothing
	`)
	if got := v.Names(); !slices.Equal(got, []string{"ctl"}) {
		t.Error(got)
	}
	if got := v.Own(); !slices.Contains(got, "v2") {
		t.Error(got)
	}
	if got := v.Named("ctl").Commands(); !slices.Contains(got, "more one") {
		t.Error(got)
	}
	if bad, _ := v.Named("ctl").Check([]string{"lits"}); bad.Similar != "list" {
		t.Errorf("%+v", bad)
	}
	if bad, _ := v.Named("ctl").Check([]string{"get", "--ass"}); bad.Similar != "" && bad.Similar != "--as" {
		t.Errorf("%+v", bad)
	}
	if bad, _ := v.Named("ctl").Check([]string{"list", "--verbos"}); bad.Similar != "--verbose" {
		t.Errorf("%+v", bad)
	}
}

func TestCobraLeavesOpenWhatItCannotTell(t *testing.T) {
	v := take(`
-- go.mod --
module "open"
-- main.go --
package main
import "github.com/spf13/cobra"
var names = []string{"a"}
func main() {
	root := &cobra.Command{Use: "open"}
	root.AddCommand(&cobra.Command{Use: names[0]}, &cobra.Command{Use: "known"})
	root.Flags().String(names[0], "", "")
}
`)
	check(t, v, "open anything --goes\nopen known --goes\n")
}

func TestGoFlags(t *testing.T) {
	v := take(`
-- go.mod --
module m
-- a/main.go --
package main
import "flag"
func main() {
	fs := flag.NewFlagSet("x", 0)
	fs.BoolFunc("yes", "", nil)
	flag.Int("n", 1, "")
	more(fs)
	switch flag.Arg(0) { case "go", "stop", "-x": }
}
func more(fs *flag.FlagSet) { fs.String("more", "", "") }
-- b/main.go --
package main
import "github.com/urfave/cli/v2"
func main() {
	app := &cli.App{Commands: []*cli.Command{
		{Name: "add", Aliases: []string{"a"}, Flags: []cli.Flag{&cli.BoolFlag{Name: "lang", Aliases: []string{"l"}}}},
		&cli.Command{Name: "del", Flags: []cli.Flag{&cli.StringFlag{Name: "as"}}},
	}}
	_ = app
	_ = []int{1}
}
-- c/main.go --
package main
import "github.com/alecthomas/kong"
func main() {}
-- d/main.go --
package main
import "flag"
var name = "x"
func main() { flag.String(name, "", ""); flag.Parse() }
-- e/main.go --
package main
import flag "github.com/spf13/pflag"
func main() { flag.BoolP("all", "a", false, ""); flag.StringP("by", "b", "", "") }
`)
	check(t, v, `
		a -n 3 --more x go
		a -n=3 -yes stop
		! a -m
		! a run
		b add --lang x
		b a -l
		b del --as x
		! b sub
		! b add --long
		e -ab x
		e -bx --all
		! e -ac
		! e --some
	`)
	for _, name := range []string{"c", "d"} {
		if _, found := v.Named(name).Check([]string{"x", "--y"}); found {
			t.Errorf("%s is open", name)
		}
	}
	check(t, v, "./e --all\n")
	if v.At(".") != nil || v.At("nothing") != nil {
		t.Error("there is no program")
	}
}

func TestNode(t *testing.T) {
	v := take("-- package.json --\n" + `{"name": "@me/one", "bin": "one.js", "scripts": {"x": "y"}}
-- one.js --
#!/usr/bin/env node
/* with */ const { program, Option } = require("commander") // it
const re = /[/"']\//g, s = ` + "`a\n${b}`" + `, q = "it's \"quoted\""
program.option('-d, --debug').option('--no-color', 'x').argument('[x]')
program.command('serve [dir]', 'it').aliases(['s', 'srv']).option('-p, --port <n>').addOption(new Option('--host <h>'))
program.command('open').allowUnknownOption
program.option('--late')
-- two/package.json --
{"name": "two", "bin": {"two": "t.ts"}}
-- two/t.ts --
import yargs from "yargs"
yargs.command({ command: 'go <x>', builder: { fast: { alias: ['f'] }, slow: true } })
  .options({ quiet: { alias: 'q' } })
  .command('$0', 'default')
  .command(named)
-- three/package.json --
{"name": "three", "bin": "x"}
-- three/x.js --
const { parseArgs } = require('util')
parseArgs({ args, options: { all: { type: 'boolean', short: 'a' } } })
-- four/package.json --
{"name": "four", "bin": "x"}
-- four/x.js --
require('minimist')
-- bad/package.json --
{
`)
	check(t, v, `
		one --debug --color serve x -p 3 --host y
		one srv
		one --late anything
		! one serve --nothing
		two go --fast -q x
		two other --slow
		! two --loud
		three -a --all
		! three --some
	`)
	if v.Named("four").Known() {
		t.Error("nothing is known about it")
	}
	if m, ok := v.Package(""); !ok || m.Scripts["x"] != "y" {
		t.Errorf("%+v", m)
	}
}

func TestPython(t *testing.T) {
	v := take(`
-- pyproject.toml --
[tool.poetry.scripts]
a = "apkg.cli:main"
[project.scripts]
t = "tpkg:app"
-- sub/setup.py --
setup(entry_points={'console_scripts': ['c = cpkg.main:cli']})
-- apkg/cli.py --
'''doc "string'''
import argparse  # x
p = argparse.ArgumentParser()
p.add_argument('-v', '--verbose', action='count')
p.add_argument('--level', choices=["a", "b"])
p.add_argument('--pair', nargs=2)
p.add_argument(NAME)
s = p.add_subparsers()
run = s.add_parser('run', aliases=['r'])
run.add_argument('--fast', action="store_true")
-- tpkg/__init__.py --
import typer
-- sub/src/cpkg/main.py --
import click
@click.group(invoke_without_command=True)
@click.option('--debug/--no-debug')
@click.version_option()
def cli(): pass
@cli.group(name="db")
def db_group(): pass
@db_group.command()
@click.option('-n', '--num', count=True)
def up_cmd(): pass
@cli.command
def bare(): pass
@click.command('apart')
@click.option('--on', is_flag=True)
def x(): pass
-- single.py --
import click
@click.command()
@click.option('--size')
def main(): pass
-- tool.py --
import argparse
p = argparse.ArgumentParser()
p.add_argument('--size')
p.parse_args()
-- loose.py --
import argparse
p = argparse.ArgumentParser()
p.add_argument('--size')
p.parse_known_args()
p.add_subparsers().add_parser(name)
-- unclosed.py --
import argparse
'''
`)
	check(t, v, `
		a -vv run --fast
		a r --anything
		! a walk
		c --debug db up -n
		c bare
		c apart --on
		c --version
		! c db up --off
		./single.py some --size 3
		! ./single.py --length
		./tool.py --size 3
		! ./tool.py --length
		./loose.py --whatever x
	`)
	if _, found := v.Named("t").Check([]string{"--x"}); found {
		t.Error("typer is open")
	}
}

func TestShell(t *testing.T) {
	v := take(`
-- bin/x --
#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in
    --name=*|-n) ;;
    "--force") ;;
    -*) exit 2 ;;
    up|'down') ;;
    $other|[a-z]) ;;
    *) usage ;;
  esac
  shift
done
-- y.sh --
while getopts "ab:" o; do :; done
cmd=${1:-x}
case $cmd in one) ;; *) run "$cmd" ;; esac
case $z in zero) ;; esac
-- broken.sh --
if
-- plain.txt --
x
`)
	check(t, v, `
		./bin/x --name=y up
		./bin/x -n
		! ./bin/x left
		! ./bin/x --nothing
		./y.sh -a one --whatever
		./y.sh two
	`)
	if v.At("broken.sh").Known() || v.At("plain.txt") != nil {
		t.Error("nothing is known about them")
	}
}

func TestMake(t *testing.T) {
	v := take(`
-- Makefile --
X := one two
VAR = a:b
include rules.mk
.PHONY: all
all: $(X) ## everything
${X}:
	echo c: d
define d
inner:
endef
# no: comment
.SUFFIXES: .c
long \
  names: all
lower := x:y
-- rules.mk --
clean:
-- open/Makefile --
include missing.mk
-- pattern/makefile --
%.o: %.c
-- eval/GNUmakefile --
$(eval x)
`)
	m := v.Make("")
	var got []string
	for name := range m.Targets {
		got = append(got, name)
	}
	slices.Sort(got)
	if strings.Join(got, " ") != "all clean long names one two" || m.Told["all"] != "everything" || m.Open {
		t.Errorf("%v %+v", got, m)
	}
	for _, dir := range []string{"open", "pattern", "eval"} {
		if !v.Make(dir).Open {
			t.Errorf("%s is open", dir)
		}
	}
	if v.Make("none") != nil {
		t.Error("there is none")
	}
}

func TestNear(t *testing.T) {
	for word, want := range map[string]string{"comands": "commands", "biuld": "build", "xyz": "", "test": "", "built": "build", "bild": "build"} {
		if got := program.Near(word, []string{"commands", "build", "test"}); got != want {
			t.Errorf("%s: %q", word, got)
		}
	}
	if got := program.Near("cat", []string{"bat", "rat"}); got != "" {
		t.Errorf("two are as near: %q", got)
	}
}

func FuzzSources(f *testing.F) {
	f.Add("program.command('x').option(`y`, /z/)", "p.add_argument('--x')\n@click.option(", "case $1 in --x) ;; esac", "all: ## x\n\ty")
	f.Fuzz(func(t *testing.T, js, py, sh, mk string) {
		files := map[string]string{"package.json": `{"name":"a","bin":"a.js"}`, "a.js": "require('commander')\n" + js, "b.py": "import argparse, click\n" + py, "c.sh": sh, "Makefile": mk, "go.mod": "module x", "main.go": "package main\nimport \"github.com/spf13/cobra\"\n" + js}
		var names []string
		for n := range files {
			names = append(names, n)
		}
		v := program.Take(tree.New(names, func(n string) (string, bool) { s, ok := files[n]; return s, ok }))
		for _, p := range []*program.Program{v.Named("a"), v.At("b.py"), v.At("c.sh")} {
			if p != nil {
				p.Check([]string{"x", "--y", "", "-z"})
			}
		}
		v.Make("")
	})
}
