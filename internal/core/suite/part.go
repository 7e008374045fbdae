package suite

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// parts extract the relevant part of files that decide more than how tests run, by name.
var parts = map[string]func(content []byte) ([]byte, bool){
	"package.json":   memberPart(json.Unmarshal, packageKeys, oddRunners),
	"composer.json":  memberPart(json.Unmarshal, []string{"scripts", "config", "repositories", "autoload-dev"}, nil),
	"pyproject.toml": memberPart(toml.Unmarshal, pyprojectKeys, nil),
	"Cargo.toml":     memberPart(toml.Unmarshal, cargoKeys, nil),
	"setup.cfg":      iniPart("tool:pytest", "coverage:", "tox", "testenv", "aliases", "options.entry_points"),
	"tox.ini":        iniPart("tox", "testenv", "pytest", "coverage:", "tool:pytest"),
	"go.mod":         goModPart,
}

// runnerPart returns the part of a runner file that decides how tests run, independent of order and
// layout, so that an honest edit of the rest raises no alarm. It returns the whole of a file that
// is unknown or unreadable.
func runnerPart(path string, content []byte) []byte {
	part := parts[path[strings.LastIndexAny(path, `/\`)+1:]]
	if part == nil || len(content) == 0 {
		return content
	}
	if text, ok := part(bytes.TrimPrefix(content, []byte("\ufeff"))); ok {
		return text
	}
	return content
}

// RunnerChanged reports whether a change to a runner file affects how tests run; nil means that the
// file does not exist. Lowering the go directive in go.mod does, raising it does not: an older
// language avoids what newer ones check.
func RunnerChanged(path string, before, after []byte) bool {
	if (before == nil) != (after == nil) || !bytes.Equal(runnerPart(path, before), runnerPart(path, after)) {
		return true
	}
	return strings.HasSuffix("/"+path, "/go.mod") && older(goVersion(after), goVersion(before))
}

// packageKeys are the members of a package.json that decide how its tests run.
var packageKeys = []string{"scripts", "jest", "mocha", "ava", "vitest", "tap", "nyc", "c8", "karma", "babel", "type", "imports", "workspaces", "overrides",
	"resolutions", "pnpm", "lint-staged", "husky", "pre-commit", "simple-git-hooks", "packageManager", "config", "gitHooks"}

// memberPart keeps some members of an object, and what more adds to them.
func memberPart(decode func([]byte, any) error, keys []string, more func(all, chosen map[string]any) bool) func([]byte) ([]byte, bool) {
	return func(content []byte) ([]byte, bool) {
		var all map[string]any
		if decode(content, &all) != nil {
			return nil, false
		}
		chosen := map[string]any{}
		for _, key := range keys {
			pick(chosen, "", all, strings.Split(key, "."))
		}
		if more != nil && !more(all, chosen) {
			return nil, false
		}
		if len(chosen) == 0 {
			return nil, true
		}
		text, err := json.Marshal(chosen) // the same text for the same value: members are sorted
		return text, err == nil
	}
}

// oddRunners adds test runners among the dependencies that are not plain releases.
func oddRunners(all, chosen map[string]any) bool {
	for _, key := range []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"} {
		list, ok := all[key].(map[string]any)
		if !ok && all[key] != nil {
			return false
		}
		for name, value := range list {
			if from, _ := value.(string); isRunner(name) && !released(from) {
				chosen[key+" "+name] = from
			}
		}
	}
	return true
}

// runnerPackages run tests, or come between a runner and the tests.
var runnerPackages = []string{"jest", "mocha", "vitest", "vite", "ava", "tap", "karma", "jasmine", "playwright", "@playwright/test", "cypress", "chai", "sinon",
	"nyc", "c8", "ts-jest", "ts-node", "tsx", "babel-jest", "esbuild", "typescript", "uvu", "tape", "qunit", "husky", "lint-staged", "expect", "should"}

func isRunner(name string) bool {
	return slices.Contains(runnerPackages, name) || strings.HasPrefix(name, "@jest/") || strings.HasPrefix(name, "jest-") || strings.HasPrefix(name, "@vitest/") || strings.HasPrefix(name, "@web/test-runner")
}

// released reports whether a dependency is a numbered release: one from a folder, a repository, an
// archive or under another name may be anything.
func released(from string) bool {
	return from == "" || !strings.ContainsAny(from, ":/")
}

// scriptTexts returns the scripts of a package.json that words ask for, with their pre and post
// scripts, and the scripts that these ask for.
func scriptTexts(content []byte, words []string) (list []string) {
	var p struct {
		Scripts map[string]any `json:"scripts"`
	}
	if json.Unmarshal(bytes.TrimPrefix(content, []byte("\ufeff")), &p) != nil {
		return nil
	}
	asked := slices.Clone(words)
	if slices.Contains(words, "t") || slices.Contains(words, "tst") {
		asked = append(asked, "test") // npm's short forms
	}
	for i := 0; i < len(asked) && i < maxScript; i++ {
		for _, name := range []string{"pre" + asked[i], asked[i], "post" + asked[i]} {
			if text, ok := p.Scripts[name].(string); ok {
				delete(p.Scripts, name)
				list = append(list, text)
				asked = append(asked, wordsOf(text)...)
			}
		}
	}
	return list
}

// The relevant members of TOML files, with a dot for each level; a trailing * matches all with that
// prefix.
var (
	pyprojectKeys = []string{"build-system", "tool.pytest*", "tool.tox", "tool.coverage*", "tool.nox*", "tool.hatch.envs", "tool.pdm.scripts",
		"tool.poe", "tool.taskipy", "project.entry-points.pytest11", "tool.poetry.plugins.pytest11", "tool.uv.sources.pytest*", "tool.uv.workspace"}
	cargoKeys = []string{"profile.test", "profile.dev", "test", "bench", "lib.test", "lib.harness", "lib.doctest", "lib.path", "bin.test", "bin.harness",
		"example.test", "example.harness", "patch", "replace", "package.autotests", "package.build", "package.links",
		"workspace.members", "workspace.exclude", "workspace.default-members"}
)

// pick copies what a path of keys names, looking into each member of a list.
func pick(chosen map[string]any, at string, from any, keys []string) {
	if len(keys) == 0 {
		chosen[at] = from
		return
	}
	switch v := from.(type) {
	case []any:
		for i, one := range v {
			pick(chosen, at+"["+strconv.Itoa(i)+"]", one, keys)
		}
	case map[string]any:
		for name, inner := range v {
			if prefix, open := strings.CutSuffix(keys[0], "*"); name == keys[0] || open && strings.HasPrefix(name, prefix) {
				pick(chosen, at+"."+name, inner, keys[1:])
			}
		}
	}
}
