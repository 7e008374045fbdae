package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzReader(f *testing.F) {
	files, _ := filepath.Glob("testdata/runs/*.txtar")
	for _, file := range files {
		run, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(run))
	}
	f.Fuzz(func(t *testing.T, output string) {
		run, named := read(output).Run()
		if named && len(run) == 0 {
			t.Fatal("named, and nothing there")
		}
		for name := range run {
			if name == "" || len(name) > 2*maxName || !utf8.ValidString(name) || strings.ContainsAny(name, "\x1b\n\r\t\x00") {
				t.Fatalf("%q", name)
			}
		}
		if d := Compare(run, run); !d.Empty() {
			t.Fatalf("against itself: %+v", d)
		}
		again, _ := read(output).Run()
		if d := Compare(run, again); !d.Empty() {
			t.Fatalf("against the same output: %+v", d)
		}
	})
}

func FuzzReadJUnit(f *testing.F) {
	f.Add([]byte(`<testsuites><testsuite name="a"><testcase classname="a" name="b"><failure/></testcase></testsuite></testsuites>`))
	f.Add([]byte(`<testsuite name="a"><testcase name="b"><skipped/>`))
	f.Add([]byte(`<!DOCTYPE a><testsuite/>`))
	f.Fuzz(func(t *testing.T, report []byte) {
		run, err := ReadJUnit(report)
		if (run == nil) == (err == nil) {
			t.Fatalf("%v, %v", run, err)
		}
		if d := Compare(run, run); !d.Empty() {
			t.Fatalf("%+v", d)
		}
	})
}

func FuzzRunnerPart(f *testing.F) {
	for _, text := range []string{`{"scripts":{"test":"x"},"devDependencies":{"jest":"file:x"}}`, "[tool.pytest]\na = 1\n", "[tool:pytest]\na = 1\n", "module x\ngo 1.2\nreplace (\n\ta => b\n)\n", "[[bin]]\ntest = false\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for name := range parts {
			first := string(RunnerPart(name, content))
			if second := string(RunnerPart("x/"+name, content)); first != second {
				t.Fatalf("%s: %q, %q", name, first, second)
			}
			if Changed(name, content, content) {
				t.Fatalf("%s: changed against itself", name)
			}
		}
	})
}

func FuzzCommands(f *testing.F) {
	for _, text := range []string{"go test ./... | tee 'a b'", "sh -c \"go test\" 2>&1 > x", "a=$(go test `b`) \\\n# c", "$(GO) test ${GO} (x)", "cd a && make -C b test"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		named := Name(text)
		if strings.ReplaceAll(named, " -json", "") != strings.ReplaceAll(text, " -json", "") {
			t.Fatalf("%q became %q", text, named)
		}
		files := tree(map[string]string{"go.mod": "", "Makefile": text, "package.json": text, "a.sh": text})
		for _, v := range Ask(files, text) {
			if !strings.Contains(v, "=") {
				t.Fatalf("%q", v)
			}
		}
		Runners(text, files, []string{text})
	})
}
