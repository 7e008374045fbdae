package room

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// realSetup runs what a room is set up with, and lists it.
func realSetup(ran *[]string) Setup {
	return Setup{Run: func(ctx context.Context, m *Room, line string, _ bool) error {
		*ran = append(*ran, line)
		cmd := exec.CommandContext(ctx, "sh", "-c", line)
		cmd.Dir = m.Dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			return errors.Join(err, errors.New(string(out)))
		}
		return nil
	}}
}

// npmPackages are the package managers that scripts/agent installs.
var npmPackages = map[string]string{"pnpm": "10.34.9", "yarn": "1.22.22"}

// A manifest whose dependencies the work changed without the lock file is refused in the package
// manager's own words; with it, it is installed. Scripts and versions install nothing.
func TestAManifestWithoutItsLockFile(t *testing.T) {
	for _, c := range []struct {
		tool, begin string
		steps       []struct{ does, refused string }
		ran         string // a part of each line
	}{
		{"npm", `mkdir a b; echo '{"name":"a","version":"1.0.0"}' > a/package.json; echo '{"name":"b","version":"1.0.0"}' > b/package.json
echo '{"name":"x","version":"1.0.0","dependencies":{"a":"file:./a"}}' > package.json; npm install --offline --no-audit --no-fund >/dev/null`,
			[]struct{ does, refused string }{
				{"echo 1 > code.txt", ""},
				{`echo '{"name":"x","version":"1.1.0","scripts":{"test":"true"},"dependencies":{"a":"file:./a"}}' > package.json`, ""},
				{`echo '{"name":"x","version":"1.1.0","dependencies":{"a":"file:./a","b":"file:./b"}}' > package.json`, "in sync"},
				{`npm install --offline --no-audit --no-fund >/dev/null`, ""},
				{`git rm -q --cached package-lock.json; rm package-lock.json`, "package-lock.json"},
			}, "npm ci"},
		{"pnpm", `mkdir a b; echo '{"name":"a","version":"1.0.0"}' > a/package.json; echo '{"name":"b","version":"1.0.0"}' > b/package.json
echo '{"name":"x","version":"1.0.0","dependencies":{"a":"file:./a"}}' > package.json; pnpm install --offline --lockfile-only >/dev/null`,
			[]struct{ does, refused string }{
				{"echo 1 > code.txt", ""},
				{`echo '{"name":"x","version":"1.1.0","dependencies":{"a":"file:./a","b":"file:./b"}}' > package.json`, "ERR_PNPM_OUTDATED_LOCKFILE"},
				{`pnpm install --offline --lockfile-only >/dev/null`, ""},
			}, "pnpm install --frozen-lockfile"},
		{"yarn", `mkdir a b; echo '{"name":"a","version":"1.0.0"}' > a/package.json; echo '{"name":"b","version":"1.0.0"}' > b/package.json
echo '{"name":"x","version":"1.0.0","dependencies":{"a":"file:./a"}}' > package.json; yarn install --offline --silent 2>/dev/null; rm -r node_modules`,
			[]struct{ does, refused string }{
				{"echo 1 > code.txt", ""},
				{`echo '{"name":"x","version":"1.1.0","dependencies":{"a":"file:./a","b":"file:./b"}}' > package.json`, "lockfile needs to be updated"},
				{`yarn install --offline --silent 2>/dev/null; rm -r node_modules`, ""},
			}, "--frozen-lockfile"},
		{"go", `mkdir -p lib; printf 'module example.com/lib\n\ngo 1.23\n' > lib/go.mod; printf 'package lib\n\nconst A = 1\n' > lib/lib.go
printf 'module example.com/x\n\ngo 1.23\n' > go.mod; printf 'package x\n' > x.go`,
			[]struct{ does, refused string }{
				{"echo '// x' >> x.go", ""},
				{`printf 'module example.com/x\n\ngo 1.23\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ./lib\n' > go.mod`, "-require example.com/lib v0.0.0"},
				{`printf 'package x\n\nimport _ "example.com/lib"\n' > x.go`, ""},
			}, "go mod tidy -diff"},
		{"cargo", `mkdir -p src lib/src; printf '[package]\nname = "lib"\nversion = "0.1.0"\nedition = "2021"\n' > lib/Cargo.toml; touch lib/src/lib.rs src/lib.rs
printf '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n' > Cargo.toml; cargo generate-lockfile --offline 2>/dev/null`,
			[]struct{ does, refused string }{
				{"echo '// x' > src/lib.rs", ""},
				{`echo 'lib = { path = "lib" }' >> Cargo.toml`, "--locked"},
				{`cargo generate-lockfile --offline 2>/dev/null`, ""},
			}, "cargo metadata --locked"},
	} {
		t.Run(c.tool, func(t *testing.T) {
			need.Tool(t, "git")
			if version := npmPackages[c.tool]; version != "" {
				t.Setenv("PATH", filepath.Dir(need.Package(t, c.tool, version))+string(os.PathListSeparator)+os.Getenv("PATH"))
			} else if _, err := exec.LookPath(c.tool); err != nil {
				need.NotRun(t, c.tool+" is not installed")
			}
			r := newRooms(t)
			sh(t, r.Root, c.begin+"\ngit add -A; git commit -qm base")
			base := sh(t, r.Root, "git rev-parse HEAD")
			var ran []string
			r.Setup = realSetup(&ran)
			for _, s := range c.steps {
				sh(t, r.Root, s.does)
				m, err := r.Enter(t.Context(), r.tree(t), base)
				var own *WorkError
				if errors.As(err, &own) != (s.refused != "") || err != nil && !strings.Contains(err.Error(), s.refused) {
					t.Errorf("%s: %v", s.does, err)
				}
				if err == nil {
					must(t, m.Leave())
				}
			}
			for _, line := range ran {
				if !strings.Contains(line, c.ran) {
					t.Errorf("run was %q", line)
				}
			}
		})
	}
}

// What was wrong before the work is not the work's.
func TestAModuleThatWasNotTidyBefore(t *testing.T) {
	r := newRooms(t)
	sh(t, r.Root, `mkdir lib; printf 'module example.com/lib\n' > lib/go.mod; printf 'package x\n' > x.go
printf 'module example.com/x\n\ngo 1.23\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ./lib\n' > go.mod; git add -A; git commit -qm base`)
	base := sh(t, r.Root, "git rev-parse HEAD")
	var ran []string
	r.Setup = realSetup(&ran)
	sh(t, r.Root, "echo '// x' >> go.mod")
	m, err := r.Enter(t.Context(), r.tree(t), base)
	must(t, err)
	must(t, m.Leave())
	if len(ran) != 2 {
		t.Errorf("run was %q", ran)
	}
}

func TestFingerprints(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"package.json", `{"version":"1","scripts":{"a":"b"}}`, `{"version":"2"}`, true},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{ "dependencies": {"a": "1"} }`, true},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"2"}}`, false},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"devDependencies":{"a":"1"}}`, false},
		{"package.json", `{`, `{ `, false},
		{"composer.json", `{"require":{"a":"1"}}`, `{"require":{}}`, false},
		{"pyproject.toml", "[project]\nversion = \"1\"\n[tool.ruff]\na = 1\n", "[project]\nversion = \"2\"\n# x\n[tool.ruff]\na = 2\n", true},
		{"pyproject.toml", "[project]\ndependencies = [\n  \"a\",\n]\n", "[project]\ndependencies = [\n  \"a\",\n  \"b\",\n]\n", false},
		{"Cargo.toml", "a", "b", false},
	} {
		if have := fingerprint("sub/"+c.name, []byte(c.a)) == fingerprint("sub/"+c.name, []byte(c.b)); have != c.same {
			t.Errorf("%s: %s and %s are the same: %v", c.name, c.a, c.b, have)
		}
	}
}
