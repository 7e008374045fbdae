//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"warp/internal/testkit/claude"
	"warp/internal/testkit/codex"
	"warp/internal/testkit/gemini"
	"warp/internal/testkit/messages"
)

const driveState = ".claude/.warp-drive-state.json"

// beginDrive has a drive appear in the middle of a session.
const beginDrive = `printf '{"version":1,"phase":"coding"}' > ` + driveState

// A clone of a project that was set up, on a machine without warp: agents work there as
// anywhere, until there is a drive. That Gemini CLI is denied by the exit code of such a hook
// is shown beside its other hooks, so WARP_MATRIX alone starts it here.
func TestACloneWithoutWarp(t *testing.T) {
	from := newProject(t, 2)
	from.sh("warp init --agent codex; warp init --agent gemini; git add -A && git commit -q -m 'chore: all agents' && git push -q origin main")
	for name, work := range map[string]func(t *testing.T, p *project){
		"claude": func(t *testing.T, p *project) {
			drive := messages.Step{Func: func(messages.Request) messages.Step { // Claude Code asks before its folder is written
				_, _ = p.try(beginDrive) // the file is looked for below
				return bash("true")
			}}
			api := messages.Serve(t, messages.Script{"go": {
				bash("echo x > before.sh"), write(p.root+"/before", "x"), drive,
				bash("echo x > during.sh"), write(p.root+"/during", "x"), {Text: "Done."}}})
			o := p.options(api, "[[scenario:go]]")
			o.PathDirs = nil
			if r := claude.Run(t, o); r.Exit != 0 {
				t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
			}
		},
		"codex": func(t *testing.T, p *project) {
			add := func(file string) codex.Step {
				return codex.Patch("*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch\n")
			}
			api := codex.Serve(t, []codex.Step{
				codex.Shell("echo x > before.sh"), add("before"), codex.Shell(beginDrive),
				codex.Shell("echo x > during.sh"), add("during"), codex.Say("Done.")})
			if r := codex.Run(t, codex.Options{Dir: p.root, Home: codex.Home(t), URL: api.URL, Prompt: "go", Args: []string{codex.BypassTrust}}); r.Exit != 0 {
				t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
			}
		},
		"gemini": func(t *testing.T, p *project) {
			api := gemini.Serve(t, []gemini.Step{
				gemini.Shell("echo x > before.sh"), gemini.Write(p.root+"/before", "x"), gemini.Shell(beginDrive),
				gemini.Shell("echo x > during.sh"), gemini.Write(p.root+"/during", "x"), gemini.Say("Done.")})
			if r := gemini.Run(t, gemini.Options{Dir: p.root, Home: p.home, URL: api.URL, Prompt: "go"}); r.Exit != 0 {
				t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
			}
		},
	} {
		if name == "gemini" && !wholeMatrix() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &project{t: t, root: filepath.Join(real(t), "clone"), home: real(t)}
			from.sh("git clone -q " + from.remote + " " + p.root)
			there := func(file string) bool {
				_, err := os.Stat(filepath.Join(p.root, file))
				return err == nil
			}
			work(t, p)
			if !there("before") || !there("before.sh") || !there(driveState) {
				t.Errorf("denied without a drive: by edit %v, by shell %v", there("before"), there("before.sh"))
			}
			if there("during") || there("during.sh") {
				t.Errorf("a drive, no guard: by edit %v, by shell %v", there("during"), there("during.sh"))
			}
		})
	}
}
