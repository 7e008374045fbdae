//go:build unix

package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one of a Dockerfile.
type instruction struct{ word, rest string }

// instructions reads a Dockerfile: lines that go on are one, comments are none.
func instructions(text string) (list []instruction) {
	text = regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\\\n", " ")
	for line := range strings.Lines(text) {
		if word, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			list = append(list, instruction{word, strings.Join(strings.Fields(rest), " ")})
		}
	}
	return list
}

// There is no engine to build the image with in the tests: what can be wrong without one
// is looked for here.
func TestDockerfileBuildsWhatTheMakefileBuilds(t *testing.T) {
	list := instructions(read(t, "../Dockerfile"))
	makefile, ignored := read(t, "../Makefile"), strings.Fields(read(t, "../.dockerignore"))
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "ARG", "USER", "ENTRYPOINT", "CMD"}
	var stages, runs []string
	user, prefix := "root", ""
	for _, i := range list {
		if !slices.Contains(known, i.word) {
			t.Errorf("%s is no instruction", i.word)
		}
		switch i.word {
		case "FROM":
			stages, user = append(stages, i.rest), "root"
		case "USER":
			user = i.rest
		case "RUN":
			runs = append(runs, i.rest)
		case "COPY":
			checkCopy(t, strings.Fields(i.rest), ignored, prefix)
		case "ENTRYPOINT", "CMD":
			var words []string
			if err := json.Unmarshal([]byte(i.rest), &words); err != nil || len(words) != 1 {
				t.Errorf("%s %s: %v", i.word, i.rest, err)
			}
		}
		if at := strings.Index(i.rest, "PREFIX="); at >= 0 {
			prefix = strings.Fields(i.rest[at+len("PREFIX="):])[0]
		}
	}
	if len(stages) != 2 || len(runs) != 3 || user == "root" || user == "0" {
		t.Fatalf("stages %q, steps %q, user %s", stages, runs, user)
	}
	wanted := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))[1]
	if !strings.HasPrefix(stages[0], "golang:"+wanted+"-") {
		t.Errorf("go.mod wants Go %s, the image has %s", wanted, stages[0])
	}
	// Both steps of the build are those of the Makefile, which knows the flags.
	if !strings.Contains(makefile, "\t@"+runs[0]+"\n") {
		t.Errorf("the Makefile does not fetch modules by %q", runs[0])
	}
	words := strings.Fields(runs[1])
	if words[0] != "make" || !strings.Contains(makefile, "\n"+words[1]+": ## ") {
		t.Errorf("%q is no step of the Makefile", runs[1])
	}
	for _, w := range words[2:] {
		if name, _, ok := strings.Cut(w, "="); !ok || !regexp.MustCompile(`\$\(`+name+`\)`).MatchString(makefile) {
			t.Errorf("the Makefile has no use for %s", w)
		}
	}
	for _, program := range []string{"git", "bubblewrap", "ca-certificates"} {
		if !strings.Contains(runs[2], " "+program+" ") {
			t.Errorf("the image lacks %s: %s", program, runs[2])
		}
	}
	if !strings.Contains(runs[2], "useradd --create-home --uid 1000 "+user) {
		t.Errorf("no one makes the user %s", user)
	}
}

// The step of the first stage puts every program where the second stage takes it from, and
// the entry point is one of them.
func TestDockerImageHasThePrograms(t *testing.T) {
	list := instructions(read(t, "../Dockerfile"))
	find := func(word, part string) string {
		i := slices.IndexFunc(list, func(i instruction) bool { return i.word == word && strings.Contains(i.rest, part) })
		if i < 0 {
			t.Fatalf("there is no %s with %s", word, part)
		}
		return list[i].rest
	}
	step := strings.Fields(strings.ReplaceAll(find("RUN", "make install"), `"$VERSION"`, "v9"))
	dry := exec.Command("make", append([]string{"-n", "-C", ".."}, step[1:]...)...)
	dry.Env = append(os.Environ(), "MAKEFLAGS=", "GOFLAGS=")
	out, err := dry.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	built := regexp.MustCompile(`go build .*app\.Version=v9.* -o (\S+) (.*)`).FindStringSubmatch(string(out))
	taken := strings.Fields(find("COPY", "--from=build"))
	if built == nil || built[1] != taken[1]+"/bin/" || taken[2] != "/usr/local" {
		t.Fatalf("%q is taken from what %q built", taken, built)
	}
	var programs []string
	for _, folder := range strings.Fields(built[2]) {
		if _, err := os.Stat(filepath.Join("..", folder, "main.go")); err != nil {
			t.Error(err)
		}
		programs = append(programs, filepath.Base(folder))
	}
	var entry []string
	if err := json.Unmarshal([]byte(find("ENTRYPOINT", "")), &entry); err != nil || !slices.Contains(programs, entry[0]) {
		t.Errorf("the entry point %q is none of %q: %v", entry, programs, err)
	}
}

// checkCopy checks that what is copied is there: in the sources, or made by the first stage.
func checkCopy(t *testing.T, words, ignored []string, prefix string) {
	t.Helper()
	if words[0] == "--from=build" {
		if words[1] != prefix {
			t.Errorf("%s is copied, the build installs into %s", words[1], prefix)
		}
		return
	}
	for _, source := range words[:len(words)-1] {
		if _, err := os.Stat(filepath.Join("..", source)); err != nil || slices.Contains(ignored, source) {
			t.Errorf("COPY %s: it is not there, or ignored: %v", source, err)
		}
	}
}
