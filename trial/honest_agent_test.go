//go:build linux

package trial

import "strings"

// honestScript is a model that means well, in shell. It tells by WARP_ROLE, and by the prompt, what
// it is to do; a behaviour replaces coder, judge or helper. $n says how often the role was asked.
//
// Its work is a file for each criterion: one.txt for AC-01 or task 1.1, two.txt for the others.
const honestScript = `prompt=$(cat)
case $WARP_ROLE in
code | fix | iterate) part=coder ;;
verify | judge) part=judge ;;
*) part=helper ;;
esac
n=$(($(cat "$TRIAL/../n-$part" 2> /dev/null || echo 0) + 1))
echo $n > "$TRIAL/../n-$part"
echo "$WARP_ROLE" >> "$TRIAL/../asked"
ids=$(echo "$WARP_CRITERIA" | tr , ' ')
[ -n "$ids" ] || ids=$(echo "$prompt" | sed -n 's/^\(AC-[0-9]*\): .*/\1/p' | tr '\n' ' ' | sed 's/ $//')
case $prompt in
*'WORKFLOW TASK 1.1'*) files=one.txt ;;
*'WORKFLOW TASK 1.2'*) files=two.txt ;;
*) files=
	case "$ids $prompt" in *AC-01*) files=one.txt ;; esac
	case "$ids $prompt" in *AC-02*) files="$files two.txt" ;; esac
	case $ids in AC-01) files=one.txt ;; AC-02) files=two.txt ;; esac ;;
esac
changed=false
work() { for f in $files; do [ -e $f ] || { echo "It says ${f%.txt}." > $f; changed=true; }; done; }
holds() { for f in $files; do [ -e $f ] || return 1; done; }
file() { mkdir -p "$(dirname "$WARP_RESULT")"; cat > "$WARP_RESULT"; }
list() { echo $ids | sed 's/[^ ]*/"&"/g; s/ /,/g'; }
told() { case $prompt in *"$1"*) return 0 ;; esac; return 1; }
report() {
	case $WARP_ROLE in
	iterate) plateau=true; if $changed; then plateau=false; fi
		echo "{\"summary\":\"wrote $files\",\"plateau\":$plateau,\"reasoning\":\"looked\"}" ;;
	*) echo "{\"summary\":\"wrote $files\"${1:+,$1}}" ;;
	esac
}
verdict() {
	met=false; if holds; then met=true; fi
	case $WARP_ROLE in
	judge) echo "{\"stop\":$met,\"reason\":\"looked at the files\",\"confidence\":0.9}" ;;
	*) list=; for id in $ids; do list="$list,{\"id\":\"$id\",\"met\":$met,\"reason\":\"looked at the files\"}"; done
		echo "{\"criteria\":[${list#,}],\"unasked\":[]}" ;;
	esac
}
ask() { echo "{\"decision\":{\"question\":\"Which colour do you want?\",\"options\":[\"red\",\"blue\"]},\"plateau\":false}"; }
coder() { work; report | file; }
judge() { verdict | file; }
helper() {
	case $WARP_ROLE in
	plan) echo '{"approach":"one file after the other","chunks":[]}' ;;
	choose) echo '{"choice":"one","reason":"it is the first"}' ;;
	supervise) echo '{"conflicts":[]}' ;;
	scan) echo '{"findings":[]}' ;;
	esac | file
}
BEHAVIOUR
$part
`

func playing(does string) string {
	return strings.Replace(honestScript, "BEHAVIOUR", does, 1)
}
