package guard

import (
	"os"
	"path/filepath"
	"testing"
)

// A copy is written in place when it is the guard's own file, and made anew when
// something else stands there: what that leads to is not touched.
func TestCopiesWriteTheirOwn(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, at, victim string){
		"its own": func(*testing.T, string, string) {},
		"a link": func(t *testing.T, at, victim string) {
			must(t, os.Remove(at))
			must(t, os.Symlink(victim, at))
		},
		"a second name": func(t *testing.T, at, victim string) {
			must(t, os.Remove(at))
			must(t, os.Link(victim, at))
		},
		"a folder": func(t *testing.T, at, victim string) {
			must(t, os.Remove(at))
			must(t, os.MkdirAll(filepath.Join(at, "x"), 0o700))
		},
		"gone": func(t *testing.T, at, victim string) { must(t, os.Remove(at)) },
	} {
		t.Run(name, func(t *testing.T) {
			root, dir := t.TempDir(), t.TempDir()
			victim := filepath.Join(t.TempDir(), "victim")
			must(t, os.WriteFile(victim, []byte("precious\n"), 0o600))
			c := newCopies(root, dir)
			for _, mode := range []os.FileMode{0o644, 0o444, 0o600} {
				for _, content := range []string{"long content\n", "short\n"} {
					_ = os.Remove(c.live("f"))
					must(t, os.WriteFile(c.live("f"), []byte(content), mode))
					must(t, c.add("f", true))
					got, err := os.ReadFile(c.at("f"))
					if must(t, err); string(got) != content {
						t.Errorf("the copy is %q, want %q", got, content)
					}
					info, err := os.Stat(c.at("f"))
					if must(t, err); info.Mode() != mode {
						t.Errorf("the copy's mode is %v, want %v", info.Mode(), mode)
					}
					plant(t, c.at("f"), victim)
				}
			}
			if got, err := os.ReadFile(victim); err != nil || string(got) != "precious\n" {
				t.Errorf("another file was written: %q, %v", got, err)
			}
		})
	}
}

// Only what was added since is copied of a journal, and nothing through a link in the place of the
// copy.
func TestJournalsAreCopiedByWhatWasAdded(t *testing.T) {
	const rel = ".claude/state/events.jsonl"
	c := newCopies(t.TempDir(), t.TempDir())
	must(t, os.MkdirAll(filepath.Dir(c.live(rel)), 0o755))
	grow := func(text string) {
		t.Helper()
		f, err := os.OpenFile(c.live(rel), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		must(t, err)
		_, err = f.WriteString(text)
		must(t, err)
		must(t, f.Close())
		must(t, c.addState())
	}
	want := func(text string) {
		t.Helper()
		if got, err := os.ReadFile(c.at(rel)); err != nil || string(got) != text {
			t.Errorf("the copy is %q, %v; want %q", got, err, text)
		}
	}
	grow("one\n")
	must(t, os.WriteFile(c.at(rel), []byte("ONE\n"), 0o600)) // shows whether it is copied again
	grow("two\n")
	want("ONE\ntwo\n")
	victim := filepath.Join(t.TempDir(), "victim")
	must(t, os.WriteFile(victim, nil, 0o600))
	must(t, os.Remove(c.at(rel)))
	must(t, os.Symlink(victim, c.at(rel)))
	grow("three\n")
	want("one\ntwo\nthree\n")
	if got, _ := os.ReadFile(victim); len(got) > 0 {
		t.Errorf("%q was written through a link", got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A person's file that cannot be read is as good as gone; that a script can be executed
// now may be an agent's work.
func TestRightsAreGivenBack(t *testing.T) {
	s := newScene(t)
	s.sh("echo mine > script.sh; chmod 640 .env script.sh")
	s.run(s.scope(), "chmod 0 .env; chmod 750 script.sh")
	if have := s.sh("stat -c %a .env script.sh"); have != "640\n750\n" {
		t.Errorf("the rights are %q", have)
	}
	if !s.told("permissions") {
		t.Errorf("it is not said: %q", s.what())
	}
}

// A pipe in the place of a file that git opens would have it wait for ever.
func TestPipesInThePlaceOfGitsFiles(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), "rm -f .gitignore; mkfifo .gitignore .gitattributes; echo a > made.txt")
	if have := s.sh("ls -A | grep -c '^.gitattributes$' || true"); have != "0\n" {
		t.Errorf("a pipe is still there: %q", have)
	}
	if !s.told("pipes or devices") {
		t.Errorf("it is not said: %q", s.what())
	}
}
