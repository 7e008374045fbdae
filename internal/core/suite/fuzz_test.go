package suite

import (
	"strings"
	"testing"
)

func FuzzRunnerPart(f *testing.F) {
	for _, text := range []string{`{"scripts":{"test":"x"},"devDependencies":{"jest":"file:x"}}`, "[tool.pytest]\na = 1\n", "[tool:pytest]\na = 1\n", "module x\ngo 1.2\nreplace (\n\ta => b\n)\n", "[[bin]]\ntest = false\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for name := range parts {
			first := string(runnerPart(name, content))
			if second := string(runnerPart("x/"+name, content)); first != second {
				t.Fatalf("%s: %q, %q", name, first, second)
			}
			if RunnerChanged(name, content, content) {
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
		named := NamingCommand(text)
		if strings.ReplaceAll(named, " -json", "") != strings.ReplaceAll(text, " -json", "") {
			t.Fatalf("%q became %q", text, named)
		}
		files := tree(map[string]string{"go.mod": "", "Makefile": text, "package.json": text, "a.sh": text})
		for _, v := range NamingVariables(files, text) {
			if !strings.Contains(v, "=") {
				t.Fatalf("%q", v)
			}
		}
		RunnerFiles(text, files, []string{text})
	})
}
