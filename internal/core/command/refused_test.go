package command

import (
	"slices"
	"strings"
	"testing"
)

// dangerous tells acts that a guard refuses while a drive works: all but Touch, and Touch
// of what is guarded or of the folder around it.
func dangerous(acts []Act) bool {
	return slices.ContainsFunc(acts, func(a Act) bool {
		return a.Kind != Touch || a.Path == "/w" || strings.HasPrefix(a.Path, "/w/.git") || strings.HasPrefix(a.Path, "/w/.claude")
	})
}

// Each of these once passed a reader that was made simpler, and nothing later catches them.
func TestNothingDangerousHidesBehindAnotherProgram(t *testing.T) {
	for _, text := range []string{
		"rm -rf .{git,claude}", "rm -rf {.git,x}", "rsync -a --delete x/ .", "rsync -a x/ .git/",
		"env -S 'git reset --hard'", "env -S'git reset --hard'", "env --split-string='git reset --hard'", "env -S 'git reset' --hard", "env -S '-u A git reset --hard'",
		"flock l rm -rf .git", "flock -n /tmp/l rm -rf .git", "flock l -c 'rm -rf .git'", "flock l --command='rm -rf .git'",
		"stdbuf -o0 rm -rf .git", "stdbuf -o L rm -rf .git", "su -c 'rm -rf .git'", "su -c 'git reset --hard' me", "su me --command='rm -rf .git'", "runuser -u me -- rm -rf .git",
		"systemd-run --user rm -rf .git", "strace -o out rm -rf .git", "strace -o echo rm -rf .git", "unshare -r rm -rf .git", "perf stat rm -rf .git", "direnv exec . rm -rf .git",
		"uv run -- rm -rf .git", "nice -- git reset --hard", "sudo -u git git reset --hard", "sudo A=1 -D /w git reset --hard", "taskset 1 git-commit -m x", "timeout 5 mytool test git reset --hard",
		"docker exec x rm -rf .git", "wrapit rm -rf .git", "./wrapit rm -rf .git", `"$X" rm -rf .git`, "wrapit -c 'rm -rf .git'", "parallel rm -rf ::: .git", "watch 'rm -rf .git'", "echo 'rm -rf .git' | at now", "tmux send-keys 'cd x && rm -rf ../.git' Enter", "su git -c 'rm -rf .git'", "GIT_EDITOR='rm -rf .claude' git commit", "git -c core.pager='rm -rf .claude' log", "nice $X -C d commit", "flock l $X commit",
		`nice $SHELL -c "git reset --hard"`, "if x; then D=-n; fi; git clean $D -fd", "x && D=-n; git clean $D -fd", "case x in y) D=-n;; esac; git clean $D -fd", "for D in -n ''; do git clean $D -fd; done",
		"while x; do D=-n; done; git clean $D -fd", "git clean $X", "git clean -d $X", `git clean "$@"`, "git switch $X", "git checkout $X -f", "git read-tree $X a",
		"bash +e -c 'git reset --hard'", "bash +x +e -c 'rm -rf .git'", "bash -o pipefail +e -c 'rm -rf .git'", "wget -o .git/HEAD -O x http://y", "wget -O x -o .git/HEAD http://y",
		"wget -a .git/HEAD http://y", "curl -o x -o .git/HEAD http://y http://z", "chmod -x .git/hooks/pre-push", "chmod -w .git", "chmod 000 .git/hooks/pre-push", "dd if=x of=.git/HEAD", "dd if=/dev/null of=.git/index", "sort -o .git/index x", "cd .git && dd if=x of=HEAD", "cd .claude/state && sort -o events.jsonl x", `echo 'git reset --hard' > >(bash)`,
		`rm -rf $'.git\x00'`, `rm -rf $'.git\u0000x'`, `rm -rf $'.\000x'git`, "npx -c 'rm -rf .git'", "npx --call='rm -rf .git'", "npx --call 'rm -rf .git'", "npx -p rimraf -c 'rm -rf .git'", "npx -y rm -rf .git", "npm exec -c 'rm -rf .git'", `rm -rf $'.git\x00'z`, `git $'push\x00'y`, "npx -c 'echo ok' -c 'rm -rf .git'", "npx -c '' -c 'rm -rf .git'", "npx --call 'echo ok' --call='git reset --hard'",
		`rm -rf $'.git\e'/../.git`, `n=c; c="git reset --hard"; ${!n:-x}`, "set git reset --hard; \"$@\"", "rm() { :; }; rm -rf .git", "git submodule foreach 'git reset --hard'", "git submodule foreach 'cd .. && git reset --hard'", "git submodule foreach 'git\treset\t--hard'",
		`git reset "$(cat f)"`, "echo -n -e 'git reset --hard' | sh", "sh <<$X\ngit reset --hard\n$X\n", "bash --rcfile x.sh -i", "no command || cd src && rm -rf ../*", "cd .. && f() { git reset --hard; }; cd w; f",
		"./pass.sh 5 git push --force", "./pass.sh git reset --hard", "echo 'rm -rf .git' > z.sh; env ./z.sh", "echo 'git reset --hard' > z; timeout 5 ./z", "echo 'rm -rf .git' > z.sh; nohup ../w/z.sh",
		"echo 'git reset --hard' > z.sh; wrapit sh -c 'echo ls > z.sh'; bash z.sh", "$X echo 'rm -rf .git' | bash", "$X echo 'rm -rf .git' > z.sh; sh z.sh",
		"cd /tmp && git -c alias.x='!git -C /w reset --hard' -c alias.y=z x", "runuser -u me -- git reset --hard", "$SHELL -c 'gh pr merge 5'", "parallel gh pr merge ::: 5",
		"rm -rf ${X:+}.git", "rm -rf ${X:+}.", "echo x > ${X:+}.git/HEAD", "echo x > ${X+}.claude/settings.json", "git restore ${X:+}.", "find . ${X+}-delete", "gh pr ${X:+}merge 5", "w${X:+}arp approve 5",
		"X=1; rm -rf ${X+.}", "X=1; gh pr ${X:+merge} 5", "X=1; tee ${X:+.git/HEAD}", "declare a[$(git reset --hard)]", "export a[$(gh pr merge 5)]", "f() { local a[$(rm -rf .)]; }; f",
		"echo git reset --hard > -; . -", "echo 'rm -rf .' > -; bash < -", "echo .git > -; rm -rf $(<-)", "echo . > -; xargs rm -rf < -", "echo .git > -; read X < -; rm -rf \"$X\"",
		"strace -p1 -o.git/HEAD", "strace -p 1 --output=.git/HEAD", "perf record -a --output=.git/HEAD", "unshare --mount=.git/HEAD",
		"wrapit " + strings.Repeat("rm ", 2000) + "; rm -rf *", "wrapit " + strings.Repeat("env ", 300) + "; rm -rf *", "wrapit --user git git reset --hard", "for i in 1 2 3 4 5 6 7 8; do echo " + strings.Repeat("$i ", 9000) + "; done; rm -rf .claude",
	} {
		if got := Read(text, world); !dangerous(got) {
			t.Errorf("%.200s gives %.200q", text, kinds(got))
		}
	}
}

// What is put together from lists, conditions and files may be all of the work.
func TestNothingDangerousHidesBehindAList(t *testing.T) {
	for _, text := range []string{
		"ls -A | xargs rm -rf", "ls | while read f; do rm -rf \"$f\"; done", "for d in $(ls -A); do rm -rf $d; done", "rm -rf $(ls)", "find . | xargs rm -rf", "find . -mindepth 1 -maxdepth 1 -print0 | xargs -0 rm -rf",
		"echo .git | xargs rm -rf", "printf '%s\\n' .git | xargs rm -rf", "echo .git | while read d; do rm -rf $d; done", "rm -rf ${D:-.git}", "rm -rf \"${D:-.claude}\"",
		"D=.git; if x; then D=build; fi; rm -rf $D", "D=.claude; x && D=build; rm -rf \"$D\"", "git ls-files -m | xargs git checkout --", "git ls-files -m | xargs git restore", "git checkout -- $(git diff --name-only)",
		"git checkout HEAD $(git diff --name-only)", "git diff | git apply -R", "git diff > p; git apply --reverse p", "git clean -n --no-dry-run -fd", "git clean -nfd --no-dry", "git gc --no-prune --prune=now", `unset IFS; c="git reset --hard"; $c`,
		"echo 'git reset --hard' > z; if x; then echo ls > z; fi; sh z", "echo 'rm -rf .git' > z; x && echo ls > z; sh z", "cd /tmp; while x; do if y; then cd /w; break; fi; done; git reset --hard",
		"F=$(git diff --name-only); git restore $F", "F=$(git diff --name-only); x && F=a.go; git restore $F", "F=($(git diff --name-only)); git restore \"${F[@]}\"", `git restore "$@"`, "git restore a{1..9}",
		"for f in $(git diff --name-only); do git restore $f; done", "git diff --name-only | while read f; do git restore $f; done", "F=$(git diff --name-only); eval \"git restore $F\"",
		"ls -A . | xargs rm -rf", "ls $PWD | xargs rm -rf", "ls / /w | xargs rm -rf", "ls .git/hooks | xargs -I{} rm .git/hooks/{}", "cd .. && rm -rf *", "cd src && rm -rf ../*", "cd /x && rm -rf *", "cd tree && rm -rf *", "cd module && rm -rf *",
		"git diff | patch -R -p1", "git diff | patch -R", "git diff > p; patch -Rp1 < p", "git diff HEAD src | patch --reverse", "git diff HEAD~1 | git apply -R", "git -C . diff | git apply -R", "git diff --cached | git apply -R", "git diff-index -p HEAD | git apply -R", "git diff HEAD a.go | git apply -R",
		"yes | git checkout -p .", "yes | git restore -p src",
		"cd nosuch; rm -rf *", "cd nosuch; ls -A | xargs rm -rf", "pushd nosuch; rm -rf *", "cd src & rm -rf *",
		"git diff src/.. | git apply -R", "git diff HEAD -- docs | git apply -R", "git diff-index -p HEAD docs | git apply -R", "git diff HEAD packages/@angular/core | git apply -R", "git diff HEAD -- a~ | git apply -R", "git diff --no-index a@ b@ | git apply -R",
		"ls -A src . | xargs rm -rf", "(ls src; ls) | xargs rm -rf",
		"git restore ${D:-.}", "git checkout -- ${D:-.}", "F=a.go; x && F=.; git restore $F", "F=x.; git restore ${F#x}", "F=\"$(git diff --name-only)$X\"; git restore $F",
		"find . -name '*.pyc' -o -wholename './.git/*' -delete",
	} {
		if got := Read(text, world); !dangerous(got) || got[len(got)-1].Dir == "/tmp" {
			t.Errorf("%s gives %+v", text, got)
		}
	}
	for _, text := range []string{
		"find . -name '*.pyc' | xargs rm -f", "find . -name node_modules | xargs rm -rf", "ls | xargs wc -l", "ls src | xargs rm -f", `rm -rf "$tmp"`, `git diff --name-only | while read f; do git checkout -- "$f"; done`,
		"git checkout $X", "git checkout $X main", "git apply -R x.patch", "git diff | git apply --check", "git apply < x.patch", "for f in $(find . -name '*.go'); do gofmt -l $f; done", "rm -rf $(mktemp -d)", "cat list | xargs rm -rf",
		"git restore $FILE", "git checkout -- $FILE", "git checkout HEAD -- ${FILE}", "F=a.go; x && F=b.go; git restore $F", "f() { git restore $1; }; f a.go", "eval \"git restore $FILE\"",
		"rm -rf ${OUT:-/tmp/github-cache}", "D=/tmp/github; if x; then D=digits; fi; rm -rf $D", "echo github-cache/$X | xargs rm -rf", "rm -rf ${F:+legit}",
		"cd build && ls | xargs rm -rf", "cd build && rm -rf *", "cd build && find . | xargs rm -rf", "cd build && ls -A .. | xargs rm -rf", "ls src | xargs rm -rf", "rm -rf $(ls src)",
		"patch -R -p1 < x.patch", "git diff | patch -R --dry-run",
	} {
		if got := Read(text, world); dangerous(got) {
			t.Errorf("%s gives %+v", text, got)
		}
	}
}

func TestTextsAboutCommandsAreNoCommands(t *testing.T) {
	for _, text := range []string{
		"echo rm -rf .git", `grep "git reset --hard" docs`, "sudo echo rm -rf .git", "timeout 5 echo git commit", "nice -n 5 grep -rn 'git push' docs", "xargs echo git commit", "stdbuf -oL grep git commit",
		"npm install .", "cargo install --path .", "docker build -t git .", "sudo -u git ls", "uv pip install git", `jest -t "git commit works"`, "eval \"$(direnv hook bash)\"", `psql -c "$SQL"`,
		"env git status", "timeout $T make test", `sudo -u "$U" make test`, "npm run rm", "docker run --rm x make", "find . -name rm -print", "timeout 60 go test ./... -run Git", "sudo cat .git/config",
		"npx -c 'eslint .'", "npx -p typescript tsc", "flock /tmp/l make test", "watch git status", "watch 'git status; ls'", `ssh host "$CMD"`, "PAGER=cat git log", "EDITOR=\"$E\" git log", "git -c core.pager=cat -c color.ui=always -c safe.directory='*' log", "tmux new -d 'npm run dev'", "uv run pytest -k 'git commit'", "poetry add git", "nohup npm run watch", "docker compose exec db psql -c 'select 1'", "git config user.name 'git commit'",
	} {
		if got := Read(text, world); dangerous(got) {
			t.Errorf("%s gives %q %+v", text, kinds(got), got)
		}
	}
	if got := Read("git commit -m 'rm -rf .git'", world); kinds(got) != "commit" {
		t.Errorf("a message: %q", kinds(got))
	}
}
