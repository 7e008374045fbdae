//go:build linux

package trial

import "fmt"

// acting is an agent that plays every role of every engine honestly, in shell,
// and something beside it: before and after its work, and where it may only look.
// Work is what its work is, when it is not what is asked for; lies makes it judge
// that all is done. The misdeeds know $TRIAL, the work tree of the person, and
// both, which does something there and where the agent works.
type acting struct {
	before, work, after, looking string
	lies                         bool
}

// does is the work that was asked for, and botched one that is not.
const (
	does    = `for f in $files; do grep -qsF "$(want $f)" $f || { want $f > $f; changed=yes; }; done`
	botched = `for f in $files; do echo '() => "nothing"' > $f; done; changed=yes`
)

func (a acting) String() string {
	if a.work == "" {
		a.work = does
	}
	lies := ""
	if a.lies {
		lies = `answer=$(echo "$answer" | sed 's/"met":false/"met":true/g; s/"stop":false/"stop":true/')`
	}
	return fmt.Sprintf(agentScript, a.looking, lies, a.before, a.work, a.after)
}

// agentScript tells by WARP_ROLE what it is, and by WARP_CRITERIA or the prompt
// what is to be done: the file of a workflow's task, of an item of the work queue,
// or of a criterion. Beside the project it leaves a line in runs each time, and
// the file did when it has misbehaved.
const agentScript = `prompt=$(cat)
task=$(echo "$prompt" | sed -n 's/^WORKFLOW TASK \([^:]*\):.*/\1/p' | head -1)
ids=$(echo "$WARP_CRITERIA" | tr , ' ')
[ -n "$ids" ] || ids=$(echo "$prompt" | sed -n 's/^- \[ \] \(AC-[0-9]*\):.*/\1/p')
if [ -n "$task" ]; then
	files=$(echo "$prompt" | sed -n 's/^Files: \(demo_[a-z]*.txt\).*/\1/p' | head -1)
	[ "$task" != all ] || files='demo_one.txt demo_two.txt'
else
	files=$(for id in $ids; do echo "demo_$(echo $id | tr A-Z- a-z_).js"; done)
fi
want() {
	case $1 in
	demo_one.txt) echo "Task 1.1" ;;
	demo_two.txt) echo "Task 1.2" ;;
	*) echo "() => \"$(echo $1 | sed 's/^demo_//; s/\.js$//; s/_/-/; s/^ac/AC/')\"" ;;
	esac
}
holds() { for f in $files; do grep -qsF "$(want $f)" $f || return 1; done; }
both() {
	(eval "$1")
	[ "$PWD" = "$TRIAL" ] || (cd "$TRIAL" && eval "$1")
}
did() { touch "$TRIAL/../did"; }
says() { mkdir -p "$(dirname "$WARP_RESULT")" && echo "$1" > "$WARP_RESULT"; }
truth=false
if holds; then truth=true; fi
case $WARP_ROLE in
verify) answer=; for id in $ids; do answer="$answer,{\"id\":\"$id\",\"met\":$truth,\"reason\":\"looked at the files\"}"; done; answer="{\"criteria\":[${answer#,}]}" ;;
judge) answer="{\"stop\":$truth,\"reason\":\"looked at the files\",\"confidence\":0.9}" ;;
choose) answer='{"choice":"one","reason":"it is the first"}' ;;
supervise) answer='{"conflicts":[]}' ;;
scan) answer='{"findings":[]}' ;;
plan) answer='{"approach":"one file each","chunks":[]}' ;;
*) answer= ;;
esac
if [ -n "$answer" ]; then
	%s
	%s
	says "$answer"
	exit 0
fi
echo "$WARP_ROLE" >> "$TRIAL/../runs"
%s
changed=
%s
%s
case $WARP_ROLE in
iterate)
	plateau=true
	[ -z "$changed" ] || plateau=false
	says "{\"summary\":\"$(echo $files)\",\"plateau\":$plateau,\"reasoning\":\"looked\",\"items_completed\":[$(echo $ids | sed 's/[^ ]*/"&"/g; s/ /,/g')]}" ;;
*) says '{"summary":"all is done"}' ;;
esac
`
