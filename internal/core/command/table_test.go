package command

import (
	"strings"
	"testing"
)

// world is the surroundings of the tables' commands.
var world = Env{
	Dir: "/w",
	Alias: func(program, name string) (string, bool) {
		if program == "gh" && name == "land" {
			return "pr merge --squash", true
		}
		v, ok := map[string]string{
			"ci": "commit -v", "yolo": "!git commit -am x && git push", "fn": "!f() { git commit \"$@\"; }; f",
			"st": "status -sb", "loop": "loop", "safe": "-c user.name=x log", "sub": "!echo",
		}[name]
		return v, ok && program == "git"
	},
	Folder: func(path string) bool {
		return path == "/w/src" || path == "/w/build" || path == "/w/docs" || path == "/w/module/.git"
	},
	Branch: func(_, name string) bool { return name == "docs" },
	Script: func(path string) (string, bool) {
		v, ok := map[string]string{
			"/w/x.sh":      "#!/bin/sh\nset -e\ngit commit -m x\n",
			"/w/args.sh":   "git \"$1\"\n",
			"/w/calm.sh":   "#!/usr/bin/env bash\necho git commit\n",
			"/w/self.sh":   "./self.sh\ngit push\n",
			"/w/x.py":      "import os\nos.system('git commit')\n",
			"/w/run.py":    "#!/usr/bin/env python3\nsubprocess.run(['git', 'push'])\n",
			"/w/calm.py":   "print('hello')\n",
			"/w/bin/tool":  "\x7fELF\x00git commit",
			"/w/build.sh":  "#!/bin/sh\neval \"$X\"\n$(base64 -d x) \"$@\"\ngit push\ngit $X\n",
			"/w/pass.sh":   "echo start >> /tmp/log\nshift\n\"$@\"\n",
			"/w/broken.sh": "if git commit\n",
			"/w/tree/.git": "gitdir: /w/.git/worktrees/tree\n",
		}[path]
		return v, ok
	},
}

// row is one command and the kinds of act that are due, in order.
type row struct {
	name, command, want string
}

func runRows(t *testing.T, rows []row) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			got := Read(c.command, world)
			if kinds(got) != c.want {
				t.Errorf("%s\ngot  %q %+v\nwant %q", c.command, kinds(got), got, c.want)
			}
		})
	}
}

func kinds(acts []Act) string {
	var ks []string
	for _, a := range acts {
		ks = append(ks, a.Kind.String())
	}
	return strings.Join(ks, " ")
}

// without drops acts of a kind that a table is not about.
func without(acts []Act, kind Kind) []Act {
	var out []Act
	for _, a := range acts {
		if a.Kind != kind {
			out = append(out, a)
		}
	}
	return out
}
