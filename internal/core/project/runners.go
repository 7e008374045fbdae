package project

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// ChangedRunners lists the files whose change makes a test command run something different: a
// script that the command names, the recipe of make's target, the script of a package.json. It does
// not cover the tests themselves.
func ChangedRunners(command string, before, after Files) []string {
	var list []string
	add := func(file string) {
		if !slices.Contains(list, file) {
			list = append(list, file)
		}
	}
	words := strings.FieldsFunc(withoutReaders(command), func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>\"'`", r) })
	for i, w := range words {
		switch path := strings.TrimPrefix(w, "./"); {
		case w == "make" || w == "gmake":
			const one, two, three = "GNUmakefile", "makefile", "Makefile" // in the order in which make looks
			was, now := before.first(one, two, three), after.first(one, two, three)
			switch {
			case was == "":
			case now != "" && now != was:
				add(now)
			case remade(goals(words[i+1:]), was, before, after):
				add(was)
			}
		case w == "npm" || w == "pnpm" || w == "yarn" || w == "bun":
			if rescripted(before, after) {
				add("package.json")
			}
		case strings.ContainsAny(path, "*?[$~") || strings.HasPrefix(w, "-") || strings.HasPrefix(path, "/") || strings.Contains(path, ".."):
		case changed(path, before, after):
			add(path)
		}
	}
	return list
}

// readers only look at the files they name: the content is what is checked, not how. A file of
// patterns is different.
var readers = strings.Fields("grep egrep fgrep rg test [ [[ cat cmp diff wc head tail ls stat file jq sort uniq cut tr comm md5sum sha256sum echo printf true false")

// withoutReaders drops the commands of a line that only read, and pass their output to none that
// does more.
func withoutReaders(line string) string {
	list, plain := pipelines(line)
	if !plain {
		return line
	}
	var kept strings.Builder
	for _, pipeline := range list {
		if !slices.ContainsFunc(pipeline, func(one string) bool { return !onlyReads(one) }) {
			continue
		}
		kept.WriteString(strings.Join(pipeline, "|") + "\n")
	}
	return kept.String()
}

func onlyReads(command string) bool {
	words := strings.Fields(command)
	for len(words) > 0 && (words[0] == "!" || words[0] == "if" || words[0] == "then" || words[0] == "while") {
		words = words[1:]
	}
	if len(words) == 0 {
		return true
	}
	patterns := func(w string) bool { // -f, also among other letters
		return strings.HasPrefix(w, "--file") || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "f") && strings.HasSuffix(words[0], "grep")
	}
	return slices.Contains(readers, words[0]) && !slices.ContainsFunc(words[1:], patterns)
}

// pipelines splits a line into what a shell runs in sequence, each into the commands of its
// pipeline, respecting quotes. A line that is not plain reads, substitutes or escapes: it may run
// anything.
func pipelines(line string) (list [][]string, plain bool) {
	var quote rune
	begin, one := 0, []string(nil)
	for i, c := range line {
		switch {
		case i < begin: // the second of && or ||
		case quote != 0 && c != quote:
		case quote != 0:
			quote = 0
		case c == '\'' || c == '"':
			quote = c
		case strings.ContainsRune("<$`\\", c):
			return nil, false
		case strings.ContainsRune(";&|\n(){}", c):
			one = append(one, line[begin:i])
			begin = i + 1
			double := strings.HasPrefix(line[i:], "||")
			if double {
				begin++
			}
			if c != '|' || double {
				list, one = append(list, one), nil
			}
		}
	}
	return append(list, append(one, line[begin:])), true
}

// changed reports whether an existing file changed or is gone.
func changed(path string, before, after Files) bool {
	was, had := before(path)
	if !had || was == nil { // or it is a folder
		return false
	}
	now, has := after(path)
	return !has || !bytes.Equal(was, now)
}

// goals returns the targets on make's command line.
func goals(words []string) []string {
	var list []string
	for _, w := range words {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			list = append(list, w)
		}
	}
	return list
}

// remade reports whether the rules for targets differ.
func remade(targets []string, file string, before, after Files) bool {
	was, had := before(file)
	if !had {
		return false
	}
	now, _ := after(file)
	return rules(string(was), targets) != rules(string(now), targets)
}

// rules returns the rules of targets and of everything they depend on, in order.
func rules(makefile string, targets []string) string {
	blocks := map[string]string{}
	asks := map[string][]string{}
	var names []string
	for line := range strings.Lines(strings.ReplaceAll(makefile, "\\\n", " ")) {
		if strings.HasPrefix(line, "\t") {
			for _, n := range names {
				blocks[n] += line
			}
			continue
		}
		if names = strings.Fields(heads(line)); len(names) == 0 {
			continue
		}
		_, rest, _ := strings.Cut(line, ":")
		needs, _, _ := strings.Cut(rest, ";")
		for _, n := range names {
			blocks[n] += strings.TrimSpace(rest) + "\n"
			asks[n] = append(asks[n], strings.Fields(strings.TrimLeft(needs, ":|"))...)
		}
	}
	var b strings.Builder
	var seen []string
	for todo := targets; len(todo) > 0; todo = todo[1:] {
		if n := todo[0]; !slices.Contains(seen, n) {
			seen = append(seen, n)
			b.WriteString(n + ": " + blocks[n])
			todo = append(slices.Clone(todo), asks[n]...)
		}
	}
	return b.String()
}

// rescripted reports whether the scripts that run tests differ.
func rescripted(before, after Files) bool {
	was, had := before("package.json")
	if !had {
		return false
	}
	now, _ := after("package.json")
	return scripts(was) != scripts(now)
}

func scripts(text []byte) string {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(text, &p) != nil {
		return string(text)
	}
	return strings.Join([]string{p.Scripts["pretest"], p.Scripts["test"], p.Scripts["posttest"]}, "\x00")
}

// Recipes returns what make runs for a command line, as a shell text: the rules of its goals and
// their dependencies, with the makefile's includes and variables, which may hold what a recipe
// calls.
func Recipes(makefile, command string) string {
	var b strings.Builder
	defining, includes := false, false
	for line := range strings.Lines(strings.ReplaceAll(makefile, "\\\n", " ")) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		includes = includes || strings.HasSuffix(word, "include") // also -include and sinclude
		if word == "define" || word == "endef" {
			defining = word == "define"
			continue
		}
		if defining || !strings.HasPrefix(line, "\t") && heads(line) == "" {
			b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>\"'`", r) })
	known := MakeTargets(makefile)
	asked := slices.DeleteFunc(goals(words), func(g string) bool { return !known[g] })
	if len(asked) == 0 && !includes { // make's first, or one made by a pattern
		asked = slices.Sorted(maps.Keys(known))
	}
	return b.String() + rules(makefile, asked)
}
