//go:build unix

package hook_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
)

// workshop fills a project with what harmless commands run: programs and scripts that
// talk about git, and another repository beside it.
func workshop(t *testing.T, to drivestate.Phase) *project {
	t.Helper()
	p := driven(t, to)
	other := filepath.Join(filepath.Dir(p.root), "other")
	for _, args := range [][]string{{"init", "-q", "-b", "main", other}, {"-C", other, "commit", "-q", "--allow-empty", "-m", "x"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	p.git("remote", "add", "origin", "https://example.invalid/o/n.git")
	for name, text := range map[string]string{
		"scripts/check.js":         "// run it before git commit and git push\nconsole.log('ok')\n",
		"scripts/release_notes.py": "\"\"\"Notes for git push.\"\"\"\nimport subprocess\nprint(subprocess.run(['git', 'log']), 'now git commit')\n",
		"scripts/report.py":        "print('git reset --hard is not for you')\n",
		"scripts/notes.rb":         "puts 'git commit'\n", "scripts/notes.pl": "print 'git push';\n",
		"scripts/lint.sh":   "#!/usr/bin/env bash\n# git commit comes later\nset -euo pipefail\nfor t in \"$@\"; do \"$t\" || exit 1; done\neval \"$LINT_COMMAND\"\necho 'now: git commit'\ngit diff --stat\n",
		"gradlew":           "#!/bin/sh\nDEFAULT_JVM_OPTS='\"-Xmx64m\"'\neval \"set -- $(printf '%s\\n' \"$DEFAULT_JVM_OPTS\" | xargs -n1 | sed ' s~[^-]~\\\\&~g; ' | tr '\\n' ' ')\" '\"$@\"'\nexec \"$JAVACMD\" \"$@\"\n",
		"configure":         "#! /bin/sh\n# git clean and git commit\nas_myself=\neval ac_val=\\$ac_cv_x\n(eval \"$ac_compile\") 2>&1\neval \"$as_fn\"\n. ./conftest.sh\n",
		"venv/bin/activate": "deactivate () {\n  hash -r 2>/dev/null\n  unset -f deactivate\n}\nVIRTUAL_ENV=\"/x\"\nexport VIRTUAL_ENV\nhash -r 2>/dev/null\n",
		"package.json":      "{\"scripts\":{}}\n", "src/mail.go": "package src\n", "src/mail_test.go": "package src\n", "docs/guide.md": "git commit\n",
	} {
		p.write(name, text)
		if strings.HasPrefix(text, "#!") {
			if err := os.Chmod(filepath.Join(p.root, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// What agents run all day is let through, in whatever words it talks about git.
func TestHarmlessCommandsAreNotDenied(t *testing.T) {
	text, err := os.ReadFile("testdata/harmless.txt")
	if err != nil {
		t.Fatal(err)
	}
	commands := strings.Split(string(text), "\n-----\n")
	if len(commands) < 200 {
		t.Errorf("the table was thinned out: %d commands", len(commands))
	}
	for _, phase := range []drivestate.Phase{drivestate.Coding, drivestate.Testing} {
		p := workshop(t, phase)
		for _, command := range commands {
			if a := p.bash(strings.TrimSuffix(command, "\n")); a.Out != "" || a.Exit != 0 {
				t.Errorf("in %s: %s\n%s%s", phase, command, a.Out, a.Err)
			}
		}
	}
}
