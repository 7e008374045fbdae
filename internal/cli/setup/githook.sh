#!/bin/sh
# warp-drive: written by warp init; warp init --remove takes it away.
# It lets warp-hook guard the branches of a drive. A hook that was here before
# is beside this one, with .before-warp behind its name: it is asked first, and
# what it refuses is refused.
name=@NAME@
before=$0.before-warp

guarded=yes
case $name,$1 in
reference-transaction,prepared | reference-transaction,committed) ;;
reference-transaction,*) guarded= ;;
esac
[ -n "$guarded" ] || [ -x "$before" ] || exit 0

input=$(cat)
feed() { [ -z "$input" ] || printf '%s\n' "$input" 2>/dev/null; }

if [ -x "$before" ]; then
	feed | "$before" "$@" || exit $?
fi

[ -n "$guarded" ] || exit 0
case $name,$input in
reference-transaction,*" refs/heads/"*) ;;
reference-transaction,*) exit 0 ;;
esac

for program in warp-hook@PROGRAM@; do
	command -v "$program" >/dev/null 2>&1 || continue
	feed | "$program" git "$name" "$@"
	exit
done

# Nobody is there to ask. A drive is not left without its guard.
[ "$name,$1" != reference-transaction,committed ] || exit 0
top=$(git rev-parse --show-toplevel 2>/dev/null) || top=$(git rev-parse --absolute-git-dir)/..
[ -e "$top/.claude/.warp-drive-state.json" ] || exit 0
cat >&2 <<END
warp-drive: refused, because the program warp-hook is missing and this project has a drive.
Install warp-hook (make install in warp's sources), or remove this hook: $0
END
exit 1
