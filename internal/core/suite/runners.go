package suite

import (
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/lazy"
	"warp/internal/core/project"
	"warp/internal/core/text"
)

// Files returns the content of a file by its path from the root, and whether it exists.
type Files = func(name string) ([]byte, bool)

// stack lists the files that decide how tests of one kind run, and the programs that identify a
// command as running them.
type stack struct {
	programs string
	files    string // patterns; one without a slash is a name at any depth
}

var stacks = [...]stack{
	{"make gmake", "GNUmakefile makefile Makefile *.mk .makerc"},
	{"just task cmake ctest ninja bazel bazelisk meson", `justfile .justfile Justfile Taskfile.yml Taskfile.yaml CMakeLists.txt
 CMakePresets.json CTestConfig.cmake meson.build BUILD BUILD.bazel .bazelrc WORKSPACE MODULE.bazel`},
	{"go gotestsum ginkgo", "go.mod go.work go.env .gotestsum.yaml .ginkgo.yml"},
	{"npm npx pnpm yarn bun bunx deno node nodejs jest vitest mocha ava tap karma playwright cypress nyc c8 tsx ts-node wtr web-test-runner lerna nx turbo", `
 package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml deno.json deno.jsonc lerna.json nx.json turbo.json
 jest.config.* jest.setup.* jest.preset.* jest-*.js vitest.config.* vitest.workspace.* vitest.setup.* vite.config.* .mocharc* mocha.opts ava.config.* .taprc
 karma.conf.* playwright.config.* cypress.config.* cypress.json web-test-runner.config.* .nycrc* .c8rc* wallaby.js
 babel.config.* .babelrc* .swcrc tsconfig.json tsconfig.*.json .node-version .nvmrc .noderc setupTests.*`},
	{"python python2 python3 py pytest py.test tox nox unittest coverage poetry uv hatch pdm pipenv rye nose2 trial ward", `
 pytest.ini .pytest.ini pytest.toml tox.ini tox.toml setup.cfg setup.py pyproject.toml conftest.py sitecustomize.py usercustomize.py *.pth
 noxfile.py .coveragerc hatch.toml uv.toml Pipfile .python-version pytest.py unittest.py unittest/** pytest/** _pytest/** sitecustomize/**`},
	{"cargo rustc cross rustup", "Cargo.toml .cargo/config.toml .cargo/config build.rs rust-toolchain rust-toolchain.toml .config/nextest.toml nextest.toml"},
	{"mvn mvnw gradle gradlew java javac kotlin sbt ant", `pom.xml mvnw .mvn/** build.gradle build.gradle.kts settings.gradle settings.gradle.kts
 gradle.properties gradlew gradle/** *.gradle *.gradle.kts buildSrc/** build.sbt project/** build.xml junit-platform.properties testng.xml`},
	{"php phpunit pest composer paratest codecept", "phpunit.xml phpunit.xml.dist phpunit.dist.xml composer.json Pest.php codeception.yml .php-version"},
	{"ruby rake rspec bundle rails minitest cucumber", `Rakefile rakefile Rakefile.rb *.rake .rspec Gemfile .bundle/config spec_helper.rb rails_helper.rb
 test_helper.rb cucumber.yml .ruby-version .minitest`},
	{"dotnet msbuild vstest", "*.csproj *.fsproj *.vbproj *.sln *.slnx Directory.Build.props Directory.Build.targets global.json nuget.config *.runsettings xunit.runner.json"},
	{"bats prove shellspec sh bash zsh dash ksh perl", ".shellspec .proverc .bats bats.conf setup_suite.bash Makefile.PL Build.PL"},
}

// hooks run next to every test command, as gates of a commit.
const hooks = ".husky/** .pre-commit-config.yaml lefthook.yml .lefthook.yml lefthook.yaml lefthook-local.yml lefthook/** .lintstagedrc* lint-staged.config.* .overcommit.yml .env.test .envrc"

// RunnerFiles lists the files that decide how a command runs tests, as patterns for
// criteria.MatchesAny: a file that does not exist yet counts once it is added. It follows the
// scripts, makefiles and package scripts behind the command through the tree (by
// project.ChangedRunners). The configuration of each runner on the way counts at any depth, and
// that of all runners if there is none. Protected adds the user's own patterns.
func RunnerFiles(command string, files Files, protected []string) []string {
	r := followCommand(command, files)
	list := slices.Clone(r.files)
	known := false
	for _, s := range stacks {
		if r.calls(s.programs) {
			list = append(list, anywhere(s.files)...)
			known = known || !strings.HasPrefix(s.programs, "make ") && !strings.HasPrefix(s.programs, "bats ")
		}
	}
	if !known && !r.shell() {
		for _, s := range stacks {
			list = append(list, anywhere(s.files)...)
		}
	}
	list = append(list, r.goals...) // a file of that name makes make consider it done
	list = append(list, anywhere(hooks)...)
	for _, p := range protected {
		if p = strings.TrimSpace(p); p == "" {
			continue
		}
		list = append(list, p)
		if !strings.Contains(p, "/") {
			list = append(list, "**/"+p) // as in .gitignore
		}
		if !strings.HasSuffix(p, "/") && !strings.HasSuffix(p, "**") {
			list = append(list, p+"/**") // the pattern may name a folder
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func anywhere(patterns string) (list []string) {
	for p := range strings.FieldsSeq(patterns) {
		list = append(list, "**/"+p)
	}
	return list
}

// reached is what a command leads to.
type reached struct {
	files   []string
	texts   []string // the command, and what it calls, as shell texts
	folders []string // that the command changes to
	goals   []string // of make
	words   map[string]bool
}

// Limits of following scripts.
const (
	maxScripts = 60
	maxScript  = 256 << 10
)

// followCommand follows a command through the scripts of the tree.
func followCommand(command string, files Files) *reached {
	r := &reached{words: map[string]bool{}, folders: []string{""}}
	todo := []string{command}
	for len(todo) > 0 && len(r.texts) < maxScripts {
		text := todo[0]
		todo = todo[1:]
		r.texts = append(r.texts, text)
		r.read(text)
		for _, dir := range r.folders {
			todo = append(todo, r.follow(dir, text, files)...)
		}
	}
	return r
}

// follow lists what the files called by a text in a folder call in turn.
func (r *reached) follow(dir, text string, files Files) (todo []string) {
	in := func(name string) ([]byte, bool) { return files(dir + name) }
	names := project.ChangedRunners(spread(text), in, none)
	if len(r.texts) > 1 || strings.Contains(text, "\n") { // a one-line command names only what it means
		names = slices.DeleteFunc(names, func(name string) bool { return !isTool(dir + name) })
	}
	for _, c := range callers {
		if !hasWord(text, c.programs) {
			continue
		}
		for _, name := range c.files { // a goal that the first file lacks comes from another
			if _, there := in(name); there && !slices.Contains(names, name) {
				names = append(names, name)
				break
			}
		}
	}
	for _, name := range names {
		seen := slices.Contains(r.files, dir+name)
		if !seen {
			r.files = append(r.files, dir+name)
		}
		if content, _ := in(name); len(content) <= maxScript {
			for _, inner := range r.inner(name, text, content) {
				if !slices.Contains(r.texts, inner) {
					todo = append(todo, inner)
				}
			}
		}
	}
	return todo
}

// isTool reports whether a script is there to run or check others rather than to be checked: a
// script names its product for many reasons. Makefiles and package scripts are tools by their
// names.
func isTool(name string) bool {
	name = strings.ToLower(name)
	base := name[strings.LastIndexByte(name, '/')+1:]
	if base == "package.json" || strings.HasSuffix(base, "makefile") || strings.HasSuffix(base, ".mk") || strings.HasSuffix(base, ".bats") {
		return true
	}
	return IsTest(name) || tools.Get().MatchString(name)
}

var tools = lazy.Pattern{Text: `(^|[/._-])(tests?|testing|specs?|checks?|ci|lint|gates?|verify|runner|run|harness|helpers?|scripts?|tools?|hack|build|hooks?|husky|github|conf|config|setup)([/._-]|$)`}

// callers are programs that read their tasks from a file with a fixed name.
var callers = [...]struct {
	programs string
	files    []string
}{
	{"make gmake", []string{"GNUmakefile", "makefile", "Makefile"}},
	{"npm pnpm yarn bun npx", []string{"package.json"}},
	{"just", []string{"justfile", ".justfile", "Justfile"}},
}

func none(string) ([]byte, bool) { return nil, false }

// spread separates what a shell text joins to a word: a recipe's @ and -, the value of an option,
// comments.
func spread(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimLeft(line, "\t @-+")
		if strings.HasPrefix(line, "#") {
			continue
		}
		b.WriteString(strings.NewReplacer("=", " ", ":", " ", "$(", " ", "${", " ", "}", " ", ",", " ").Replace(line) + "\n")
	}
	return b.String()
}

// read collects the programs that a text may call, and the folders it changes to.
func (r *reached) read(text string) {
	words := wordsOf(text)
	for i, w := range words {
		program := strings.ToLower(w[strings.LastIndexByte(w, '/')+1:])
		r.words[program] = true
		r.words[strings.TrimRight(program, "0123456789.")] = true // python3.12
		if program == "make" || program == "gmake" {
			r.goals = append(r.goals, goalsOf(words[i+1:])...)
		}
		if i == 0 {
			continue
		}
		switch before := words[i-1]; {
		case before == "cd" || before == "-C" || before == "pushd" || strings.HasPrefix(before, "--") && strings.HasSuffix(before, "dir") ||
			before == "--directory" || before == "--prefix" || before == "--cwd":
			dir := strings.Trim(strings.TrimPrefix(w, "./"), "/") + "/"
			if criteria.IsInTree(dir) && dir != "/" && dir != "./" && !slices.Contains(r.folders, dir) && len(r.folders) < maxScripts {
				r.folders = append(r.folders, dir)
			}
		}
	}
}

// goalsOf returns make's goals: the words after it that are neither options nor variables.
func goalsOf(words []string) (goals []string) {
	for _, w := range words[:min(len(words), 8)] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") && criteria.IsInTree(w) {
			goals = append(goals, w)
		}
	}
	return goals
}

// MentionsFile reports whether a command names a file by its path. Make's goals are names of rules.
func MentionsFile(command, name string) bool {
	words := wordsOf(command)
	if i := slices.IndexFunc(words, func(w string) bool {
		return slices.Contains([]string{"make", "gmake"}, w[strings.LastIndexByte(w, '/')+1:])
	}); i >= 0 {
		words = words[:i]
	}
	return slices.ContainsFunc(words, func(w string) bool { return strings.TrimPrefix(w, "./") == name })
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(spread(text), func(c rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>\"'`", c) })
}

// hasWord reports whether a text has one of these words.
func hasWord(text, words string) bool {
	all := strings.Fields(words)
	return slices.ContainsFunc(wordsOf(text), func(w string) bool { return slices.Contains(all, w) })
}

func (r *reached) calls(programs string) bool {
	for p := range strings.FieldsSeq(programs) {
		if r.words[p] {
			return true
		}
	}
	return false
}

// shell reports whether the command led to a shell script: such a project may have no other runner.
func (r *reached) shell() bool {
	return slices.ContainsFunc(r.files, func(f string) bool { return strings.HasSuffix(f, "sh") || strings.HasSuffix(f, ".bats") })
}

// inner returns what a script calls in turn, as shell texts. Other languages name files for many
// reasons, and are not followed.
func (r *reached) inner(name, caller string, content []byte) []string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	switch said := string(content); {
	case base == "package.json":
		return scriptTexts(content, wordsOf(caller))
	case strings.HasSuffix(strings.ToLower(base), "makefile"):
		return []string{project.Recipes(said, caller)}
	case strings.HasSuffix(base, ".mk"), strings.HasSuffix(base, "sh"), !strings.Contains(base, "."), strings.HasSuffix(base, ".bats"), strings.HasPrefix(said, "#!") && strings.Contains(text.FirstLine(said), "sh"):
		return []string{said}
	}
	return nil
}
