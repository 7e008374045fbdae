//go:build linux

package trial

// behaviour is what a model does that means well, and how that has to end.
type behaviour struct {
	name string
	does string // in the script of the agent
	set  string // what is prepared in the project
	// ends has a letter for each engine: drive, guided, loop, pipeline, workflow.
	ends  string
	words string // what a person has to be told, as a regular expression, where it does not land
	adds  string // what else may change on main
}

// The ends.
const (
	landed  = 'L' // main has it, and nothing else
	asked   = 'Q' // a person is asked, or has to look; nothing is on main
	notDone = 'N' // it says why; what was accepted may be on main
	none    = '-' // there is no such role or step
	faulty  = 'x' // a known fault, not tried until it is fixed
)

var behaviours = []behaviour{
	{name: "does what is asked", ends: "LLLLL"},
	{name: "stray files, taken back", ends: "LLLLL", does: `coder() { work; if [ $n = 1 ]; then echo thought > NOTES.md; echo log > debug.log; elif told NOTES.md; then rm -f NOTES.md debug.log; fi; report | file; }`},
	{name: "stray files, kept", ends: "QQQQQ", words: `NOTES\.md`, does: `coder() { work; [ $n != 1 ] || { echo thought > NOTES.md; }; report | file; }`},
	{name: "a binary is left", ends: "LLLLL", does: `coder() { work; [ $n != 1 ] || { head -c 200000 /dev/zero > app.test; chmod 755 app.test; }; if told app.test; then rm -f app.test; fi; report | file; }`},
	{name: "reformats, taken back", ends: "LLLLL", does: `coder() { work; if [ $n = 1 ]; then sed -i 's/^  //' code.js; elif told code.js; then git show main:code.js > code.js; fi; report | file; }`},
	{name: "reformats, and keeps it", ends: "QQQQQ", words: `code\.js`, does: `coder() { work; [ $n != 1 ] || sed -i 's/^  //' code.js; report | file; }`},
	{name: "a question in prose", ends: "QNQQQ", words: `Which colour|diff is empty|said nothing of it`, does: `coder() { echo 'There are two ways. Which colour do you want, red or blue?'; }`},
	{name: "a question as asked for", ends: "QQQQQ", words: `Which colour`, does: `coder() { ask | file; }`},
	{name: "a question in a fence", ends: "QQQQQ", words: `Which colour`, does: `coder() { { echo 'I need to know this first.'; echo '~~~json' | tr '~' '\140'; ask; echo '~~~' | tr '~' '\140'; } | file; }`},
	{name: "work, and then a question", ends: "QQQQQ", words: `Which colour`, does: `coder() { work; ask | file; }`},
	{name: "fenced JSON", ends: "LLLLL", does: `fence() { echo 'This is it:'; echo '~~~json' | tr '~' '\140'; cat; echo '~~~' | tr '~' '\140'; }
coder() { work; report | fence; }
judge() { verdict | fence; }`},
	{name: "JSON after a sentence", ends: "LLLLL", does: `coder() { work; echo "I am done. $(report)"; }
judge() { echo "I looked at all of it. $(verdict)"; }`},
	{name: "a result in prose", ends: "LLLLL", does: `coder() { work; { echo "Here is what I did:"; report; } | file; }
judge() { { echo "Here is what I saw:"; verdict; } | file; }`},
	{name: "other ids", ends: "LL--L", does: `judge() { verdict | sed 's/AC-0/AC-/g; s/"C\([0-9]\)"/"c-\1"/g' | file; }`},
	{name: "a verdict is left out", ends: "LL--L", does: `judge() { case $WARP_ROLE-$n in verify-1) echo '{"criteria":[],"unasked":[]}' | file ;; *) verdict | file ;; esac; }`},
	{name: "an unfinished verdict", ends: "LL-LL", does: `judge() { if [ $n = 1 ]; then verdict | head -c 20 | file; else verdict | file; fi; }`},
	{name: "never a verdict", ends: "QQ-NQ", words: `no.*(verdict|answer)|did not reach its end`, does: `judge() { echo 'It looks good to me.'; }`},
	{name: "an unfinished result", ends: "LLNLL", words: `did not reach its end`, does: `coder() { work; report | head -c 12 | file; }`},
	{name: "another role's form", ends: "LLNLL", words: `did not reach its end`, does: `coder() { work; echo '{"criteria":[],"stop":true}' | file; }
judge() { if [ $n = 1 ]; then echo '{"summary":"all is well","plateau":true}' | file; else verdict | file; fi; }`},
	{name: "not in English", ends: "LLQLL", words: `ended with: .*すべて`, does: `coder() { work; echo 'Готово: оба файла написаны. すべて完了しました。'; }
judge() { if [ $n = 1 ]; then echo 'Все критерии выполнены. 問題ありません。'; else verdict | file; fi; }`},
	{name: "several megabytes", ends: "LLLLL", does: `coder() { work; yes 'I am thinking about it.' | head -c 3000000; report | file; }
judge() { yes 'I am thinking about it.' | head -c 3000000; verdict | file; }`},
	{name: "all of it at once", ends: "LLLLL", set: "warp config set max_acs_per_commit 1", does: `coder() { files='one.txt two.txt'; work; report '"files":["one.txt","two.txt"]' | sed 's/}$/,"done":['"$(list)"']}/' | if [ $n = 1 ]; then sed 's/,"done":[^]]*]//'; else cat; fi | file; }`},
	{name: "all of it at once, unsaid", ends: "QNQLL", words: `ended with: All is there|diff is empty|said nothing of it`, set: "warp config set max_acs_per_commit 1", does: `coder() { files='one.txt two.txt'; work; echo 'All is there.'; }`},
	{name: "part of the work", ends: "LLLLL", does: `coder() { if [ $n = 1 ]; then files=${files%% *}; files=${files:-one.txt}; fi; work; report | file; }`},
	{name: "its own commit", ends: "LLLLL", does: `coder() { work; git add $files && git commit -qm 'feat: mine'; report | file; }`},
	{name: "its own stash", ends: "LLLLL", does: `coder() { work; if [ $n = 1 ]; then git stash -q -u; git stash pop -q; fi; report | file; }`},
	{name: "work left in a stash", ends: "LLLLL", does: `coder() { work; if [ $n = 1 ]; then git stash -q -u; fi; report | file; }`},
	{name: "its own branch", ends: "LLLLL", does: `coder() { work; if [ $n = 1 ]; then git switch -q -c mine; fi; report | file; }`},
	{name: "renames a test", ends: "LLLLL", adds: "sum.test.js", set: withNode, does: `coder() { work; sed -i 's/"adds"/"adds two numbers"/' sum.test.js; report '"files":["one.txt","sum.test.js"]' | file; }`},
	{name: "moves a test", ends: "LLLLL", adds: "sum.test.js test/sum.test.js", set: withNode, does: `coder() { work; if [ -e sum.test.js ]; then mkdir -p test; mv sum.test.js test/sum.test.js; sed -i 's#"./sum.js"#"../sum.js"#' test/sum.test.js; fi; report '"files":["one.txt","test/sum.test.js"]' | file; }`},
	{name: "changes a test as demanded", ends: "LLNNQ", words: `allow-test-change`, adds: "sum.js sum.test.js", set: withNode + demands, does: `coder() { work; echo 'exports.sum = (a, b) => b ? 2 * b : a;' > sum.js; sed -i 's/(1, 2), 3)/(1, 2), 4)/' sum.test.js; report | file; }`},
	// In a workflow, a dependency that the task does not name is a conflict: if the agent keeps it, a
	// person has to look.
	{name: "a dependency with its lock", ends: "LLLLQ", words: `adds dependencies: b`, adds: "package.json package-lock.json", set: withPackages, does: `coder() { work; grep -q '"b"' package.json || sed -i 's#"file:./a"#"file:./a","b":"file:./b"#' package.json; npm install --offline --no-audit --no-fund > /dev/null; report | file; }`},
	{name: "a dependency without a lock", ends: "LLLLQ", words: `adds dependencies: b`, adds: "package.json package-lock.json", set: withPackages, does: `coder() { work; [ $n != 1 ] || sed -i 's#"file:./a"#"file:./a","b":"file:./b"#' package.json; if told 'npm ci'; then npm install --offline --no-audit --no-fund > /dev/null; fi; report | file; }`},
	{name: "leaves a process", ends: "L-LLL", does: `coder() { work; setsid sleep 300 > /dev/null 2>&1 < /dev/null & report | file; }`},
	{name: "a plan as an answer", ends: "QNQQQ", words: `my plan|diff is empty|said nothing of it`, does: `coder() { echo 'Here is my plan: 1. I write the files. 2. I test them. Shall I go on?'; }`},
	{name: "a plan, then the work", ends: "LLLLL", does: `coder() { if [ $n = 1 ]; then echo 'Here is my plan: 1. I write the files. 2. I test them.'; else work; report | file; fi; }`},
	{name: "nothing at all", ends: "QNQQQ", words: `changed nothing|diff is empty`, does: `coder() { :; }`},
	{name: "objects, and is right", ends: "LL--L", does: `coder() { work; if told wrong; then echo '{"objection":"the file is there, look again"}' | file; else report | file; fi; }
judge() { if [ $n = 1 ]; then verdict | sed 's/true,"reason":"[a-z ]*"/false,"reason":"this is wrong"/g' | file; else verdict | file; fi; }`},
	{name: "objects, and is wrong", ends: "QQ--N", words: `this is wrong`, does: `coder() { work; if told wrong; then echo '{"objection":"it does not have to"}' | file; else report | file; fi; }
judge() { verdict | sed 's/true,"reason":"[a-z ]*"/false,"reason":"this is wrong"/g' | file; }`},
	{name: "it was done before", ends: "LLLLL", set: `for f in one two; do echo "It says $f." > $f.txt; done; git add . && git commit -qm 'feat: before'`,
		does: `coder() { case $WARP_ROLE in iterate) report | file ;; *) echo "{\"summary\":\"it is there\",\"done\":[$(list)]}" | file ;; esac; }`},
	{name: "a long silence", ends: "L-LLL", set: "warp config set max_idle_seconds 1", does: `coder() { [ $n != 1 ] || sleep 30; work; report | file; }`},
	{name: "files for editors and CI", ends: "LLLLL", does: `coder() { work; if [ $n = 1 ]; then mkdir -p .vscode .github/workflows; echo '{}' > .vscode/settings.json; echo 'on: push' > .github/workflows/ci.yml; elif told .vscode; then rm -rf .vscode .github; fi; report | file; }`},
}

// Projects with tests that have names, and with packages.
const (
	withNode = `echo 'exports.sum = (a, b) => a + b;' > sum.js
cat > sum.test.js <<'END'
const test = require("node:test");
const assert = require("node:assert");
const { sum } = require("./sum.js");
test("adds", () => assert.equal(sum(1, 2), 3));
test("adds nothing", () => assert.equal(sum(1, 0), 1));
END
echo '{"private":true,"scripts":{"test":"node --test"}}' > package.json
git add . && git commit -qm 'test: sum'
warp config set test_command 'node --test'
`
	demands = `sed -i 's/the file one.txt/the file one.txt, and the test in sum.test.js expects that sum(1, 2) is 4/' .claude/issues/1.md
`
	withPackages = `mkdir a b; echo '{"name":"a","version":"1.0.0"}' > a/package.json; echo '{"name":"b","version":"1.0.0"}' > b/package.json
echo '{"name":"x","version":"1.0.0","dependencies":{"a":"file:./a"}}' > package.json
npm install --offline --no-audit --no-fund > /dev/null
git add . && git commit -qm 'chore: packages'
`
)
