package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"warp/internal/adapter/agent/demo"
	"warp/internal/core/lossless"
)

// kind is how a task is written into files of a kind: what a new file begins with,
// what the task adds, and what it adds when it is asked again.
type kind struct{ head, body, more string }

var (
	words  = kind{"", "Hello from the demo agent. {text}.\n", "{text}.\n"}
	hashes = kind{"", "# {text}\n", "# {text}\n"}
	kinds  = map[string]kind{
		".txt":  words,
		".md":   {"# {title}\n", "\n{text}.\n", "\n{text}.\n"},
		".go":   {"package {package}\n", "\n// {text}\nconst {name} = {value}\n", "\n// {text}\n"},
		".js":   {"", "// {text}\n{export}{name} = {value};\n", "// {text}\n"},
		".mjs":  {"", "// {text}\nexport const {name} = {value};\n", "// {text}\n"},
		".cjs":  {"", "// {text}\nexports.{name} = {value};\n", "// {text}\n"},
		".ts":   {"", "// {text}\nexport const {name} = {value};\n", "// {text}\n"},
		".py":   {"", "# {text}\n{name} = {value}\n", "# {text}\n"},
		".sh":   {"#!/bin/sh\n", "\n# {text}\n{name}() { echo {word}; }\n", "\n# {text}\n"},
		".yaml": hashes, ".yml": hashes, ".toml": hashes, "": hashes,
	}
)

// written is what becomes of a file when a task is done in it: what is there stays.
func (b brief) written(dir, name, old string) (string, error) {
	mark := "Task " + b.id + ": "
	pass := strings.Count(old, mark) + 1
	text := mark + b.name
	if pass > 1 {
		text += fmt.Sprintf(", pass %d", pass)
	}
	ext := path.Ext(name)
	if ext == ".json" {
		return inJSON(old, fmt.Sprintf("%s_%d", b.identifier(name), pass), text)
	}
	k, known := kinds[ext]
	if !known {
		k = words
	}
	add := k.body
	switch {
	case old == "":
		add = k.head + k.body
	case pass > 1:
		add = k.more
	}
	export := "exports."
	if ext == ".js" && hasModules(dir) {
		export = "export const "
	}
	if old != "" && !strings.HasSuffix(old, "\n") {
		old += "\n"
	}
	return old + strings.NewReplacer("{text}", text, "{title}", b.name, "{name}", b.identifier(name), "{value}", quoted(b.name), "{export}", export,
		"{word}", "'"+strings.ReplaceAll(b.name, "'", `'\''`)+"'", "{package}", demo.PackageOf(filepath.Join(dir, filepath.FromSlash(path.Dir(name))))).Replace(add), nil
}

// inJSON adds a member to an object. What is no object stays as it is.
func inJSON(old, key, text string) (string, error) {
	if strings.TrimSpace(old) == "" {
		old = "{}\n"
	}
	tree, err := lossless.Parse([]byte(old))
	if err != nil || tree.Kind != lossless.Object {
		return old, nil
	}
	if len(tree.Members) == 0 {
		return string(lossless.AppendIndent(nil, tree.With(key, lossless.NewString(text)))) + "\n", nil
	}
	now, err := lossless.Set([]byte(old), lossless.NewString(text), key)
	return string(now), err
}

// identifier names what a task made in a file, in any of the languages.
func (b brief) identifier(name string) string {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	id := "Demo"
	for part := range strings.SplitSeq(strings.Map(demo.Letter, stem), "_") {
		if part != "" {
			id += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return id + "Task" + strings.Map(demo.Letter, b.id)
}

// quoted is a string of Go, of JavaScript and of Python.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string has a spelling
	return strings.TrimSuffix(b.String(), "\n")
}

// hasModules tells whether the JavaScript of a project has modules.
func hasModules(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	return err == nil && strings.Contains(strings.Join(strings.Fields(string(text)), ""), `"type":"module"`)
}
