package project

import (
	"encoding/json"
	"strings"
)

// nodeProject holds the scripts of a package.json and their package manager, which is named there
// or has its lock file next to it.
type nodeProject struct {
	scripts map[string]any
	manager string
	why     string // what identifies the manager; "" if nothing does
}

func readNode(has Files) (p nodeProject, ok bool) {
	content, ok := has("package.json")
	if !ok {
		return p, false
	}
	var manifest struct {
		Scripts        map[string]any `json:"scripts"`
		PackageManager any            `json:"packageManager"`
	}
	content = []byte(strings.TrimPrefix(string(content), "\ufeff"))
	if json.Unmarshal(content, &manifest) != nil {
		return p, false
	}
	named, _ := manifest.PackageManager.(string)
	named, _, _ = strings.Cut(named, "@")
	for _, m := range [...]struct{ name, locks string }{{"pnpm", "pnpm-lock.yaml"}, {"yarn", "yarn.lock"}, {"bun", "bun.lock bun.lockb"}} {
		if named == m.name {
			return nodeProject{manifest.Scripts, m.name, " and names " + named}, true
		}
		if lock := has.first(strings.Fields(m.locks)...); named == "" && lock != "" {
			return nodeProject{manifest.Scripts, m.name, ", and there is a " + lock}, true
		}
	}
	return nodeProject{scripts: manifest.Scripts, manager: "npm"}, true
}

// script returns the first of some scripts that exists and is not empty.
func (p nodeProject) script(names ...string) string {
	for _, name := range names {
		if text, _ := p.scripts[name].(string); strings.TrimSpace(text) != "" {
			return name
		}
	}
	return ""
}

var nodeTests = map[string]string{"npm": "npm test --silent", "pnpm": "pnpm --silent test", "yarn": "yarn test", "bun": "bun run test"}

// byNode looks for a test script other than the one that npm init writes.
func byNode(has Files) (Test, bool) {
	p, ok := readNode(has)
	if !ok || p.script("test") == "" || strings.Contains(p.scripts["test"].(string), "no test specified") {
		return Test{}, false
	}
	return Test{"node", nodeTests[p.manager], "package.json has a script test" + p.why}, true
}
