package command

import "testing"

// What only warp and git write is not given to programs that may write it.
func TestFilesThatOnlyWarpAndGitWrite(t *testing.T) {
	for _, text := range []string{
		`python3 -c "p='.claude/.warp-drive-state.json';open(p,'w').write('{}')"`,
		`node -e "require('fs').writeFileSync('.claude/settings.json','')"`,
		"python3 - <<'P'\nopen('.claude/.warp-drive-state.json','w')\nP",
		"vim -es .claude/settings.json -c wq", "yq -i .a=1 .claude/.warp-drive-state.json", "patch .claude/settings.json x.patch",
		"tar -C .git/hooks -xf x.tar", "npx rimraf .claude/state", "npm exec -- rm .claude/settings.json",
		"git checkout HEAD~1 -- .claude/settings.json", "git restore --source=main -- .claude/settings.json",
		"find . -mindepth 1 -delete", "find . -maxdepth 2 -name '.warp*' -delete", "find . -name '.warp*' | xargs rm -f",
		"ls -Ad .claude/.w* | xargs rm", "cd .cl* && rm .warp*", "find . -name HEAD -exec rm {} +",
		"npm exec git commit", "gh pr merge 3 --admin", "gh api -X PATCH repos/o/n/git/refs/heads/main -f sha=x",
		"warp-hook git reference-transaction committed", "cargo run -- git commit -m x",
	} {
		if got := Read(text, Env{Dir: "/w"}); len(got) == 0 {
			t.Errorf("%s is nothing", text)
		}
	}
	for _, text := range []string{
		"cat .claude/.warp-drive-state.json", "jq .phase .claude/.warp-drive-state.json", "ls -la .git/hooks .claude/state", "find . -name '*.pyc' -delete",
		"find . -name node_modules -exec rm -rf {} +", "grep -rn x .claude/settings.json", "go run ./cmd/x", "npm run build", "npm exec -- eslint .",
		"gh pr view 3", "gh pr create --fill", "gh api repos/o/n/git/refs/heads/main", "cargo test", "ls | xargs wc -l",
	} {
		for _, a := range Read(text, Env{Dir: "/w"}) {
			if a.Kind != Touch {
				t.Errorf("%s: %+v", text, a)
			}
		}
	}
}

func TestAScratchRepositoryIsElsewhere(t *testing.T) {
	for _, text := range []string{"T=$(mktemp -d); cd $T && git init -q && git commit -m x", `d=$(mktemp -d) && git -C "$d" commit -m x`} {
		for _, a := range Read(text, Env{Dir: "/w"}) {
			if a.Dir != "/tmp/mktemp.fresh" {
				t.Errorf("%s: %+v", text, a)
			}
		}
	}
	for _, text := range []string{"T=$(mktemp -d -p .); cd $T && git commit -m x", "T=$(TMPDIR=. mktemp -d); cd $T && git commit -m x"} {
		if got := Read(text, Env{Dir: "/w"}); len(got) == 0 || got[0].Dir == "/tmp/mktemp.fresh" {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
