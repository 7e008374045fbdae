package room

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// ecosystem is how a package manager installs what its manifest and lock file name.
type ecosystem struct {
	lock      string
	manifests []string
	line      string // installs exactly what the lock file names; "": the tests need no installation
	into      string
	// frozen installs or checks a manifest that the work changed, and fails if its lock file does not
	// fit; "": line does. A package manager that is not there, or cannot reach its registry, proves
	// nothing against the work where there is no line: then the tests tell.
	frozen, frozenName string
}

// ecosystems in the order in which they are looked for.
var ecosystems = []ecosystem{
	{lock: "package-lock.json", manifests: []string{"package.json"}, line: "npm ci --no-audit --no-fund --loglevel=error", into: "node_modules"},
	{lock: "pnpm-lock.yaml", manifests: []string{"package.json", "pnpm-workspace.yaml"}, line: "pnpm install --frozen-lockfile", into: "node_modules"},
	{lock: "yarn.lock", manifests: []string{"package.json"}, line: "yarn install --frozen-lockfile", into: "node_modules",
		frozen: "if grep -q __metadata yarn.lock; then yarn install --immutable; else yarn install --frozen-lockfile; fi"},
	{lock: "uv.lock", manifests: []string{"pyproject.toml"}, line: "uv sync --frozen", into: ".venv", frozen: "uv sync --locked"},
	{lock: "Gemfile.lock", manifests: []string{"Gemfile"}, line: "bundle config set --local path vendor/bundle && bundle install", into: "vendor/bundle",
		frozen: "bundle config set --local path vendor/bundle && bundle config set --local frozen true && bundle install"},
	{lock: "go.mod", manifests: []string{"go.mod", "go.sum"},
		frozenName: "go mod tidy -diff", frozen: `said=$(go mod tidy -diff 2>/dev/null) || [ -z "$said" ] || { printf '%s\n' "$said"; exit 1; }`},
	{lock: "Cargo.lock", manifests: []string{"Cargo.toml"},
		frozenName: "cargo metadata --locked", frozen: `said=$(cargo metadata --locked --format-version 1 2>&1 >/dev/null) || case $said in *--locked*) printf '%s\n' "$said"; exit 1 ;; esac`},
	{lock: "poetry.lock", manifests: []string{"pyproject.toml"},
		frozenName: "poetry check --lock", frozen: `said=$(poetry check --lock 2>&1) || case $said in *poetry.lock*) printf '%s\n' "$said"; exit 1 ;; esac`},
	{lock: "composer.lock", manifests: []string{"composer.json"},
		frozenName: "composer validate", frozen: `said=$(composer validate --no-check-all --no-check-publish 2>&1) || case $said in *"lock file"*) printf '%s\n' "$said"; exit 1 ;; esac`},
}

// Installer returns the command that installs what a folder's lock file names, "" if it has none.
func Installer(has func(lock string) bool) string {
	for _, e := range ecosystems {
		if e.line != "" && has(e.lock) {
			return e.line
		}
	}
	return ""
}

// isManifest reports whether an installation may depend on a file.
func isManifest(name string) bool {
	return slices.ContainsFunc(ecosystems, func(e ecosystem) bool { return e.lock == name || slices.Contains(e.manifests, name) }) || slices.Contains(otherLockFiles, name) ||
		strings.HasPrefix(name, "requirements") && strings.HasSuffix(name, ".txt")
}

// dependencyMembers are the members of package.json and composer.json that their lock files depend
// on: a script or a version needs no installation.
var dependencyMembers = []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta", "bundleDependencies", "bundledDependencies",
	"overrides", "resolutions", "workspaces", "packageManager", "pnpm", "require", "require-dev", "conflict", "replace", "provide", "repositories", "minimum-stability", "prefer-stable"}

// hasParts reports whether only parts of a manifest matter.
func hasParts(name string) bool {
	return slices.Contains([]string{"package.json", "composer.json", "pyproject.toml"}, path.Base(name))
}

// fingerprint returns what an installation depends on in a manifest.
func fingerprint(name string, content []byte) string {
	h := sha256.New()
	switch path.Base(name) {
	case "package.json", "composer.json":
		v, err := lossless.Parse(content)
		if err != nil {
			h.Write(content)
			break
		}
		for _, member := range dependencyMembers {
			if x := v.Get(member); x != nil {
				h.Write(lossless.AppendCompact([]byte(member+" "), x))
			}
		}
	case "pyproject.toml":
		in := false
		for line := range strings.Lines(string(content)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "[[") && strings.HasSuffix(line, "]") {
				in = slices.ContainsFunc([]string{"[project", "[dependency-groups", "[build-system", "[tool.uv", "[tool.poetry"}, func(p string) bool { return strings.HasPrefix(line, p) })
			}
			key, _, _ := strings.Cut(line, "=")
			if in && !strings.HasPrefix(line, "#") && !slices.Contains([]string{"version", "description", "readme", "license"}, strings.TrimSpace(key)) {
				h.Write([]byte(line + "\n"))
			}
		}
	default:
		h.Write(content)
	}
	return hex.EncodeToString(h.Sum(nil))
}
