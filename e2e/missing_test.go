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

// A clone of a project that was set up, on a machine without warp: agents work there as
// anywhere, until there is a drive.
func TestACloneWithoutWarp(t *testing.T) {
	for name, touch := range map[string]func(t *testing.T, p *project, file string){
		"claude": func(t *testing.T, p *project, file string) {
			api := messages.Serve(t, messages.Script{"go": {bash("echo x > " + file + ".sh"), write(filepath.Join(p.root, file), "x"), {Text: "Done."}}})
			o := p.options(api, "[[scenario:go]]")
			o.PathDirs = nil
			if r := claude.Run(t, o); r.Exit != 0 {
				t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
			}
		},
		"codex": func(t *testing.T, p *project, file string) {
			api := codex.Serve(t, []codex.Step{codex.Shell("echo x > " + file + ".sh"), codex.Patch("*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch\n"), codex.Say("Done.")})
			if r := codex.Run(t, codex.Options{Dir: p.root, Home: codex.Home(t), URL: api.URL, Prompt: "go", Args: []string{codex.BypassTrust}}); r.Exit != 0 {
				t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
			}
		},
		"gemini": func(t *testing.T, p *project, file string) {
			api := gemini.Serve(t, []gemini.Step{gemini.Shell("echo x > " + file + ".sh"), gemini.Write(filepath.Join(p.root, file), "x"), gemini.Say("Done.")})
			if r := gemini.Run(t, gemini.Options{Dir: p.root, Home: p.home, URL: api.URL, Prompt: "go"}); r.Exit != 0 {
				t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := newProject(t, 2)
			from.sh("warp init --agent codex; warp init --agent gemini; git add -A && git commit -q -m 'chore: all agents' && git push -q origin main")
			p := &project{t: t, root: filepath.Join(real(t), "clone"), home: real(t)}
			from.sh("git clone -q " + from.remote + " " + p.root)
			there := func(file string) bool {
				_, err := os.Stat(filepath.Join(p.root, file))
				return err == nil
			}
			touch(t, p, "before")
			if !there("before") || !there("before.sh") {
				t.Errorf("denied without a drive: by edit %v, by shell %v", there("before"), there("before.sh"))
			}
			p.write(".claude/.warp-drive-state.json", `{"version":1,"phase":"coding"}`)
			touch(t, p, "during")
			if there("during") || there("during.sh") {
				t.Errorf("a drive, no guard: by edit %v, by shell %v", there("during"), there("during.sh"))
			}
		})
	}
}
