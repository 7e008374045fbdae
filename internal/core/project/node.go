package project

import (
	"encoding/json"
	"strings"
)

// byNode looks for a test script, and for the package manager whose lock file
// stands beside it.
func byNode(has Files) (Test, bool) {
	content, ok := has("package.json")
	if !ok {
		return Test{}, false
	}
	var manifest struct {
		Scripts        map[string]any `json:"scripts"`
		PackageManager any            `json:"packageManager"`
	}
	content = []byte(strings.TrimPrefix(string(content), "\ufeff"))
	if json.Unmarshal(content, &manifest) != nil {
		return Test{}, false
	}
	script, _ := manifest.Scripts["test"].(string)
	if strings.TrimSpace(script) == "" || strings.Contains(script, "no test specified") { // what npm init writes
		return Test{}, false
	}
	named, _ := manifest.PackageManager.(string)
	named, _, _ = strings.Cut(named, "@")
	why := "package.json has a script test"
	for _, m := range [...]struct{ name, command, locks string }{
		{"pnpm", "pnpm --silent test", "pnpm-lock.yaml"},
		{"yarn", "yarn test", "yarn.lock"},
		{"bun", "bun run test", "bun.lock bun.lockb"},
	} {
		if named == m.name {
			return Test{"node", m.command, why + " and names " + named}, true
		}
		if lock := has.first(strings.Fields(m.locks)...); named == "" && lock != "" {
			return Test{"node", m.command, why + ", and there is a " + lock}, true
		}
	}
	return Test{"node", "npm test --silent", why}, true
}
