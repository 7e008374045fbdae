//go:build linux

package trial

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warp/internal/sys/proc"
)

// Every command that a repository can name leaves its name behind when it is run, in the
// file RAN.
const (
	canaryManifest = `{
  "server": {"command": "echo server >> RAN; exit 1", "directory": "served", "health": "tcp", "restart": "never"},
  "migrations": {"command": "echo migrations >> RAN"},
  "seed": {"directory": "seeds", "runner": "echo seed >> RAN; true"},
  "auth": {"users": "users.json", "provision": "echo provision >> RAN; true"}
}
`
	canarySettings = `{"_workflow": {
  "agent": "command", "agent_command": ["sh", "-c", "echo agent >> RAN; . ./agent.sh"], "max_acs_per_commit": 1, "max_idle_seconds": 5,
  "test_command": "echo test >> RAN; sh test.sh",
  "verification_gates": {"code_complete": ["echo gate >> RAN"]}
}}
`
)

// cloned is a clone of a repository that someone else has filled with commands,
// and an issue of its user's.
func cloned(t *testing.T) *project {
	t.Helper()
	p := newProject(t)
	p.sh("git stash -q -u && rm -rf .claude .env && mkdir .claude served seeds")
	for name, text := range map[string]string{
		"dev.json": canaryManifest, ".claude/settings.local.json": canarySettings, "agent.sh": script{}.String(), "served/index.html": "",
		"seeds/one.txt": "", "users.json": "[]", ".gitignore": "/.claude/*\n!/.claude/settings.local.json\n",
	} {
		p.write(name, p.canary(text))
	}
	p.sh("git add -A && git commit -q -m 'feat: commands' && git clone -q . ../clone")
	c := &project{t: t, root: filepath.Join(filepath.Dir(p.root), "clone"), home: filepath.Join(filepath.Dir(p.root), "home-of-clone")}
	c.sh(`mkdir -p "$HOME" && git config user.name t && git config user.email t@example.invalid && git remote remove origin
		printf '%s\n' '- [ ] AC-01: the first thing' '- [ ] AC-02: the second thing' > ../body.md && warp issue new --title Mail --body-file ../body.md --label req --label approved`)
	t.Cleanup(func() { proc.EndMarked(c.mark()) })
	return c
}

// canary names the file that commands leave their names in.
func (p *project) canary(text string) string { return strings.ReplaceAll(text, "RAN", p.beside("ran")) }

// ran are the commands of the repository that were run.
func (p *project) ran() []string {
	if !p.try("test -e ../ran") {
		return nil
	}
	all := strings.Fields(p.read("../ran"))
	slices.Sort(all)
	return slices.Compact(all)
}

// refused wants commands of warp to want a person, and nothing to be run.
func (p *project) refused(words string, commands ...string) {
	p.t.Helper()
	before := p.ran()
	for _, c := range commands {
		if exit, said := p.warp(strings.Fields(c)...); exit != 13 || !strings.Contains(said, words) || !strings.Contains(said, "warp trust") {
			p.t.Errorf("warp %s: exit %d\n%s", c, exit, said)
		}
		if now := p.ran(); !slices.Equal(now, before) {
			p.t.Fatalf("warp %s has run %q", c, now)
		}
	}
}

// Nothing that came with a clone is run before a person has trusted it, whatever
// is asked for; a changed file asks again.
func TestNothingOfACloneIsRun(t *testing.T) {
	t.Parallel()
	p := cloned(t)
	const untrusted = "has commands that are not trusted on this machine"
	p.refused(untrusted, "drive 1 --level 3", "drive --level 3", "drive 1 --level 3 --worktree", "drive 1 --level 3 --dry-run", "agent run command x", "agent check command", "dev up", "dev check", "dev up --check", "dev up --again --verbose")

	// One file does not vouch for the other.
	p.sh("warp trust .claude/settings.local.json")
	p.refused("dev.json "+untrusted, "drive 1 --level 3", "resume", "dev up")
	p.sh("warp trust --revoke .claude/settings.local.json && warp trust dev.json")
	p.refused("settings.local.json "+untrusted, "resume", "drive 1 --level 3")

	// Trusted, all of it is run. The server does not stay up, so a person is wanted.
	p.sh("warp trust")
	if exit, said := p.warp("resume"); exit != 13 || !slices.Equal(p.ran(), []string{"migrations", "seed", "server"}) {
		t.Fatalf("exit %d, ran %q\n%s", exit, p.ran(), said)
	}
	edit := func(file, from, to string) { p.write(file, strings.Replace(p.read(file), from, to, 1)) }
	edit("dev.json", "exit 1", "exit 2")
	const changed = "has changed since it was trusted"
	p.refused("dev.json "+changed, "resume", "dev up", "dev check")
	edit(".claude/settings.local.json", "echo gate", "echo worse")
	p.refused("settings.local.json "+changed, "resume")
}

// Through a whole drive: what was trusted is run, what was changed under way is
// not, and once it is trusted the drive goes on.
func TestACloneIsDrivenOnceItIsTrusted(t *testing.T) {
	t.Parallel()
	p := cloned(t)
	server := `"command": ["node", "-e", "require('fs').appendFileSync('RAN', 'server\\n'); require('http').createServer((q, a) => a.end()).listen(process.env.PORT, '127.0.0.1')"]`
	p.write("dev.json", p.canary(strings.Replace(canaryManifest, `"command": "echo server >> RAN; exit 1"`, server, 1)))
	p.sh("git commit -q -m 'fix: a server' dev.json && warp trust")
	p.env = []string{"WARP_CRASH_AT=report_filed#1"}
	if exit, said := p.warp("drive", "1", "--level", "3"); exit == 0 || exit == 13 {
		t.Fatalf("exit %d\n%s", exit, said)
	}
	p.env = nil
	if want := []string{"agent", "gate", "migrations", "provision", "seed", "server", "test"}; !slices.Equal(p.ran(), want) {
		t.Fatalf("ran %q", p.ran())
	}
	settings := p.read(".claude/settings.local.json")
	for _, command := range []string{"gate", "agent", "test"} {
		p.write(".claude/settings.local.json", strings.Replace(settings, "echo "+command, "echo worse", 1))
		p.refused("settings.local.json has changed since it was trusted", "resume", "drive 1 --level 3")
	}
	p.write(".claude/settings.local.json", settings)
	manifest := p.read("dev.json")
	for _, part := range []string{"migrations", "seed", "provision", "server"} {
		p.write("dev.json", strings.Replace(strings.Replace(manifest, "echo "+part, "echo worse", 1), part+`\\n`, `worse\\n`, 1))
		p.refused("dev.json has changed since it was trusted", "resume", "dev up")
	}
	p.write("dev.json", manifest)
	if exit, said := p.warp("resume"); exit != 0 || !strings.Contains(said, "merged") || slices.Contains(p.ran(), "worse") {
		t.Fatalf("exit %d, ran %q\n%s", exit, p.ran(), said)
	}
	p.sh("warp dev down")
	p.silent()
}

// What a drive itself makes of dev.json in a work tree of its own is not run
// either; warp trust in the main one shows it, and allows it.
func TestAChangedManifestInAWorkTreeIsAskedFor(t *testing.T) {
	t.Parallel()
	p := shopOf(t, atFirst(`sed -i 's/"restart": "never"/"restart": "on-failure"/' dev.json`))
	exit, said := p.drive("--worktree")
	const file = ".claude/worktrees/issue-1/dev.json"
	if exit != 13 || !strings.Contains(said, file+" has commands that are not trusted on this machine") || len(p.starts()) != 1 {
		t.Fatalf("exit %d\n%s", exit, said)
	}
	if said := p.sh("warp trust --show"); !strings.Contains(said, file) || !strings.Contains(said, "on-failure") {
		t.Errorf("%s", said)
	}
	p.sh("warp trust")
	if exit, said := p.warp("resume"); exit != 0 || !strings.Contains(said, "merged") || len(p.starts()) != 2 {
		t.Errorf("exit %d, %d starts\n%s", exit, len(p.starts()), said)
	}
	p.over()
}
