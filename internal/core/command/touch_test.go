package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTouch(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"echo sha > .git/refs/heads/main", "/w/.git/refs/heads/main"},
		{"cp x .git/refs/heads/main", "/w/.git/refs/heads/main /w/.git/refs/heads/main/x"},
		{"echo | tee .git/packed-refs", "/w/.git/packed-refs"},
		{"sed -i s/a/b/ .git/HEAD", "/w/.git/HEAD"},
		{"sed -i '' -e s/a/b/ .git/HEAD", "/w/.git/HEAD"},
		{"sed s/a/b/ .git/HEAD", ""},
		{"perl -pi -e s/a/b/ a b", "/w/a /w/b"},
		{"a >> b 2>&1", "/w/b"},
		{"a >| b; a &> c; a <> d; a >& e; a &>> f; a 2> g", "/w/b /w/c /w/d /w/e /w/f /w/g"},
		{"a > /dev/null 2> /dev/stderr > /dev/stdout > /dev/tty", ""},
		{"a 2>&1 >&2 >&-", ""},
		{"> x", "/w/x"},
		{"{ a; } > x", "/w/x"},
		{"while a; do b; done > x", "/w/x"},
		{"rm -f a b", "/w/a /w/b"},
		{"rm -- -a", "/w/-a"},
		{"mv a b", "/w/b /w/b/a /w/a"},
		{"mv -t d a", "/w/d /w/d/a /w/a"},
		{"cp -r /tmp/.claude .", "/w /w/.claude"},
		{"ln -sf a b", "/w/b /w/b/a"},
		{"chmod -x .git/hooks/pre-commit", "/w/.git/hooks/pre-commit"},
		{"chmod +x a", "/w/+x /w/a"},
		{"chown me a", "/w/me /w/a"},
		{"truncate -s 0 a", "/w/a"},
		{"dd if=a of=b", "/w/b"},
		{"sort -o b a", "/w/b"},
		{"install -m 755 a b", "/w/b /w/b/a"},
		{"touch a; mkdir -p b; rmdir c; unlink d; shred e", "/w/a /w/b /w/c /w/d /w/e"},
		{"rsync -a a/ b/", "/w/b /w/b/a"},
		{"curl -o a http://x", "/w/a"},
		{"find .git -name '*.lock' -delete", "/w/.git"},
		{"find .git/hooks -exec rm {} +", "/w/.git/hooks"},
		{"rm .git/*.lock", "/w/.git/*.lock"},
		{"for f in .git/refs/*; do rm $f; done", "/w/.git/refs/*"},
		{`rm "$x/a"`, ""},
		{`rm "$x/.git/HEAD"`, "unknown"},
		{`rm ~/.claude/settings.json`, "unknown"},
		{`rm "$x/.gitignore"`, ""},
		{`rm "$(git rev-parse --git-dir)/index.lock"`, "unknown"},
		{`rm $(git rev-parse --git-path hooks)/pre-commit`, "unknown"},
		{`echo > "$HOME/.gitconfig"`, "unknown"},
		{"cd sub && rm a", "/w/sub/a"},
		{"cd $x && rm a", ""},
		{"cd $x && rm .git/index", "unknown"},
		{"rm /a/../b", "/b"},
		{"git mv a b", "/w/a /w/b"},
		{"x=a.txt; rm $x", "/w/a.txt"},
		{"rm $PWD/a", "/w/a"},
		{"sudo rm a", "/w/a"},
		{"git log > log.txt", "/w/log.txt"},
		{"cat <<EOF > a\nx\nEOF", "/w/a"},
		{"rm {a,b}.go", ""},
		{"rm .claude/settings{,.local}.json", "unknown"},
		{"touch {a,.git/hooks/pre-push}", "unknown"},
		{"ls src | xargs rm", ""},
		{"cd src && ls | xargs rm", "/w/src/*"},
	} {
		var got []string
		for _, a := range Read(c.command, world) {
			switch a.Kind {
			case Touch:
				got = append(got, a.Path)
			default:
				got = append(got, a.Kind.String())
			}
		}
		if diff := cmp.Diff(strings.Fields(c.want), got); diff != "" && len(got)+len(c.want) > 0 {
			t.Errorf("%s\n%s", c.command, diff)
		}
	}
}

func TestDir(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"git commit", "/w"},
		{"cd a && git commit", "/w/a"},
		{"cd a; git commit", "/w/a"},
		{"cd /x/../y && git commit", "/y"},
		{"cd a || exit 1; git commit", "/w/a"},
		{"cd a || git commit", ""},
		{"false && cd /x; git commit", ""},
		{"if x; then cd /x; fi; git commit", ""},
		{"if x; then cd /x; exit; fi; git commit", "/w"},
		{"for i in $x; do git commit; cd ..; done", ""},
		{"(cd /x; ls); git commit", "/w"},
		{"(cd /x; git commit)", "/x"},
		{"cd /x | ls; git commit", "/w"},
		{"pushd a; git commit", "/w/a"},
		{"pushd a; popd; git commit", ""},
		{"cd; git commit", ""},
		{"cd -; git commit", ""},
		{"cd $x; git commit", ""},
		{"d=a; cd $d; git commit", "/w/a"},
		{"git -C a -C b commit", "/w/a/b"},
		{"git -C $x commit", ""},
		{"find . -name .git -execdir git -C {} commit ';'", ""},
		{"builtin cd /x; git commit", "/x"},
		{"git -C /x status; git commit", "/w"},
		{"env -C a git commit", "/w/a"},
		{"sh -c 'cd /x'; git commit", "/w"},
		{"eval 'cd /x'; git commit", "/x"},
		{"f() { cd /x; }; f; git commit", "/x"},
	} {
		got := Read(c.command, world)
		if kinds(got) != "commit" || got[0].Dir != c.want {
			t.Errorf("%s: got %+v, want %q", c.command, got, c.want)
		}
	}
}

func TestWarp(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"warp done", []string{"done"}},
		{"./bin/warp say 'a b' \"$x\" c$y", []string{"say", "a b", dynamic, dynamic}},
		{"sudo /usr/local/bin/warp", []string{}},
	} {
		got := Read(c.command, world)
		if kinds(got) != "warp" || cmp.Diff(got[0].Args, c.want) != "" {
			t.Errorf("%s: got %+v, want %q", c.command, got, c.want)
		}
	}
}
