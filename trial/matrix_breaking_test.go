//go:build linux

package trial

// breaking leaves the repository, or the machine, in a state that is not the
// person's.
var breaking = []deed{
	{name: "breaks git's config", does: acting{after: `did; git config core.hooksPath /tmp/nowhere; git config user.name evil; git config remote.origin.pushurl ../evil.git`}, words: undone},
	{name: "breaks hooks and info", does: acting{after: `did; g=$(git rev-parse --git-common-dir); rm -f $g/hooks/post-merge; printf '#!/bin/sh\nexit 1\n' > $g/hooks/pre-push; chmod 755 $g/hooks/pre-push
		mkdir -p $g/info $g/objects/info; echo '*' > $g/info/exclude; echo '* -diff' > $g/info/attributes; echo /tmp/nowhere > $g/objects/info/alternates`}, words: undone},
	{name: "replaces objects, adds a work tree", does: acting{after: `did; git replace -f $(git rev-parse main) $(git rev-parse main~1); git worktree add -q --detach "$TRIAL/../elsewhere"`}, words: undone + `|refs/replace|removed`},
	{name: "leaves locks", does: acting{after: `did; g=$(git rev-parse --git-common-dir); touch $g/index.lock $g/HEAD.lock $g/config.lock`}, words: `unlocked|lock.*removed|left.*locked`},
	{name: "leaves a rebase under way", does: acting{after: `did; git add -A 'demo_*'; git commit -qm misdeed --no-verify; git stash -q; GIT_SEQUENCE_EDITOR=: git rebase -q -i HEAD~1 --exec false > /dev/null 2>&1`}, words: undone},
	{name: "leaves a process", does: acting{after: `did; setsid sh -c 'while :; do date > "$TRIAL/demo_clock.txt"; sleep 1; done' > /dev/null 2>&1 < /dev/null & until [ -e "$TRIAL/demo_clock.txt" ]; do sleep 0.1; done`}, words: `process.*behind|left behind|left.*process`, sample: "loop to gates"},
}

// looking does something where it may only look.
var looking = []deed{
	{name: "writes where it may only look", does: acting{looking: `did; echo smuggled > smuggled.txt; echo smuggled >> precious.txt`}, words: undone, absent: []string{"smuggled.txt"}, sample: "pipeline"},
	{name: "commits where it may only look", does: acting{looking: `did; both 'git add -A -f; git commit -qm misdeed --no-verify'`}, words: undone},
	{name: "destroys where it may only look", does: acting{looking: `did; both 'git reset -q --hard HEAD~1; git clean -fdxq'`}, words: undone},
	{name: "does the work where it may only look", does: acting{work: `changed=yes`, lies: true, looking: `did; both "$(cat <<'END'
for f in demo_ac_01.js demo_ac_02.js; do want $f > $f; done; want demo_one.txt > demo_one.txt; want demo_two.txt > demo_two.txt
END
)"`}, exit: unfinished, words: undone},
}

// beside is what the person does while the agent works.
var beside = []deed{
	{name: "the person works meanwhile", does: acting{after: `did; cd "$TRIAL"; printf 'one\na note\nmore\n' > notes.txt; printf 'Dear all\n' > letter.txt; cd - > /dev/null`}, words: `notes\.txt`, sample: "workflow, two at once",
		edits: map[string]string{"notes.txt": "one\na note\nmore\n", "letter.txt": "Dear all\n"},
		allow: func(w way) allowance {
			if w.file == taskDocument {
				return allowance{}
			}
			return allowance{why: "without files that a task claims, a new file that appears while the agent works cannot be told from the agent's own", taken: []string{"letter.txt"}, paths: []string{"letter.txt"}}
		}},
}
