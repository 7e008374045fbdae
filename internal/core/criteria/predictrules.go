package criteria

import "warp/internal/core/lazy"

// kindRule recognises a kind of criterion by its words.
type kindRule struct {
	kind    string
	also    string // an easier one, or ""
	message string
	do      string       // how to word it better
	always  bool         // also where there is an example
	vague   bool         // the words mean it only where there is no example
	words   lazy.Pattern // of what simplify returns
}

const (
	sayNew         = "a test can prove it"
	sayKeeps       = "a test can prove it: green before and after"
	sayShape       = "a look at the files can prove it"
	sayOnceSettled = "a test can prove it once the warning is settled"
	sayDocs        = "a test can see that the text is there; only a reader can tell whether it is right"

	doShape = "name it in backticks: `oldParse` is removed"
	doTests = `say what the test shows: parse("1,5") is refused`
)

// newRule is for what no other rule recognises.
var newRule = kindRule{kind: kindNew, message: sayNew}

// Words that patterns share. In capitals is what simplify put in place of literals.
const (
	be         = `(?:is|are|was|were|be|been|gets?|stays?|remains?)`
	docNoun    = `(?:DOC|docs|documentation|docstrings?|(?:doc|code) comments?|godoc|javadoc|jsdoc|release notes|man ?page|the manual|(?:user|upgrade|migration|installation|contributing|contributor|developer|setup|getting[- ]started|the) guide|tutorial|runbook)`
	codeNoun   = `(?:functions?|methods?|class(?:es)?|types?|interfaces?|structs?|modules?|packages?|constants?|enums?|helpers?)`
	markets    = `(?:(?:apple |mac )?app store|play store|google play|npm|pypi|crates\.io|maven central|docker hub|rubygems|homebrew|nuget|chrome web store|(?:vs ?code )?marketplace)`
	devices    = `(?:iphones?|ipads?|android (?:phones?|devices?|tablets?)|raspberry pis?|apple silicon|gpus?|fpgas?|voiceover|nvda|jaws|talkback|(?:a )?screen readers?|(?:real|actual|physical) \w+)`
	systems    = `(?:devices|browsers|chrome|firefox|safari|internet explorer|windows|macos|linux|ios|android)`
	extensions = `go|mod|sum|[cm]?[jt]sx?|py|rb|rs|java|kt|cs|cpp|hpp|php|sh|bash|sql|html|s?css|ya?ml|toml|json|xml|txt|ini|cfg|lock|proto|svg|png|gradle|tf`
	approver   = `(?:legal|lawyers?|security team|design(?: team|ers?)?|ux|product (?:owners?|team|management)|po|stakeholders?|qa|marketing|translators?|native speakers?)`
)

// kindRules are tried in order. Every one must miss behaviour: a criterion that is called new by
// mistake is tested in vain, one that is called cannot by mistake is not tested.
var kindRules = []kindRule{
	{kind: kindCannot, always: true, message: "it needs a person",
		do: "keep it outside the issue, or say what a program can see: the page has the text of terms.md",
		words: lazy.Pattern{Text: `\b(?:is|are|was|were|be|been|gets?)(?: \w+)? (?:signed off|approved|reviewed|accepted|agreed|confirmed)(?: on)? by (?:an? |the |our )?` + approver + `\b|` +
			`^(?:signed off|approved|reviewed|accepted|confirmed) by (?:an? |the |our )?\w+|` +
			`^(?:the )?` + approver + ` (?:has |have )?(?:approved?|approves|signed off|signs? off|accepts?|accepted|reviewed|reviews?|confirms?|confirmed|agrees?)\b|` +
			`^(?:peer|code|design|security|legal|pr)[- ]review(?:ed)?(?: (?:(?:is|was|has been) )?(?:done|completed?|passed|approved))?$|` +
			`^(?:the )?(?:pr|pull request) (?:is |was )?(?:approved|reviewed)$|` +
			`\b(?:usability|user acceptance|exploratory) test(?:s|ing)?\b|\buser (?:testing|study)\b|` +
			`\bmanual(?:ly)? test(?:ed|ing)\b|` +
			`\btested (?:manually|by hand|(?:by|with) (?:\w+ )?(?:users|people|customers|qa|testers))\b|` +
			`\b(?:users|customers|people|the team)(?: \w+)? (?:are|is|feels?) (?:\w+ )?(?:happy|happier|satisfied)\b|` +
			`\b(?:conversion|bounce|churn|retention|adoption) rate (?:rises|drops|falls|increases|decreases|improves|goes)\b|` +
			`\bfewer (?:support (?:tickets|requests)|complaints)\b|` +
			`\b(?:penetration test|pen ?test|(?:security|external) audit)(?: (?:is|was|has been) (?:done|passed|completed)|$)`}},
	{kind: kindCannot, always: true, message: "it needs a service that a night does not reach",
		do: "say what the project itself must do: `npm pack` makes a package that has dist/index.js",
		words: lazy.Pattern{Text: `\b(?:deployed|rolled out|shipped|launched|pushed|promoted|released)(?: \w+)? (?:to|on|in|into) (?:the |our )?(?:production|staging|prod)\b|` +
			`\b(?:is|are|goes|went) live (?:in|on) (?:production|prod|staging)\b|` +
			`\b(?:is|are) (?:now )?on (?:the )?` + markets + `\b|^deploy (?:it |them |the \w+ |this )?(?:to|on) |` +
			`\b(?:published|released|available|uploaded|listed|submitted)(?: \w+)? (?:to|on|in|at|from) (?:the )?` + markets + `\b|` +
			`^(?:publish|release|submit|upload) .*\b(?:to|on) (?:the )?` + markets + `\b|` +
			`(?:\btested|^verified|^checked|^validated) (?:in|on) (?:the |our |an? )?(?:production|staging|prod|live|non-prod)\b|` +
			`\b\d[\d.]* ?% (?:uptime|availab)|\b(?:uptime|availability) (?:is|of|stays) (?:at least |above )?\d|` +
			`\b(?:for|over) (?:an? |one |two |\d+ |several )?(?:days?|weeks?|months?) without (?:an? |any )?(?:crash|error|restart|incident|outage)`}},
	{kind: kindCannot, always: true, message: "it needs a service that a night does not reach",
		do: `say it of a stand-in: when the service answers 503, sync exits with 1 and prints "try again"`,
		words: lazy.Pattern{Text: `\b(?:run|ran|executed|done|applied|tested|tried|measured)(?: \w+)? (?:on|against|with) (?:an? |the |our )?(?:production|live) (?:server|database|cluster|db|data|traffic|api|account|system)\b|` +
			`\b(?:run|ran|tested|tried|works?)(?: \w+)? (?:on|against|with) (?:an? |the |our )?(?:real|actual) (?:\w+ )?(?:api|server|service|account|database|endpoint|bank|mailbox)\b`}},
	{kind: kindCannot, always: true, message: "it needs hardware or systems that a night does not have",
		do: "say what a stand-in sees: at 375 px wide the menu is behind the button \"Menu\"; the printer gets the bytes 1B 40",
		words: lazy.Pattern{Text: `(?:\btested|\btried|^verified|^checked|^validated)(?: out| manually)? (?:on|in|with|across|under) (?:an? |the |all |both |different |major |supported |multiple )*(?:` + systems + `|` + devices + `)\b|` +
			`\b(?:works?|runs?|usable|readable|works correctly|runs correctly) (?:on|with|using) (?:an? |the |real )*` + devices + `\b|` +
			`^test .*\b(?:across|on|in) (?:\w+ )*(?:browsers|devices|hardware)\b|` +
			`^(?:windows|linux|macos|ios|android) (?:is )?(?:verified|tested)\b`}},
	{kind: kindCannot, always: true, message: "it needs the service that runs CI",
		do: "name the command that it runs: `npm test` passes",
		words: lazy.Pattern{Text: `\b(?:ci|pipeline|build server|github actions?)(?: pipeline| build| run| job)? (?:is|are|stays?|turns|goes) (?:all )?(?:green|passing)\b|` +
			`\b(?:ci|github actions?)(?: pipeline| build| run| job)? pass(?:es|ed)?$|` +
			`\b(?:pass(?:es|ed)?|green|passing) (?:in|on) (?:the )?ci\b`}},

	{kind: kindRead, also: kindShape, message: sayDocs,
		do: `name the file and the words that must be there: README.md has the section "Install" with npm ci`,
		words: lazy.Pattern{Text: `^(?:(?:the|our|a|an|each|every|all|public|user|relevant|api|existing|project|inline) )*(?:\w+ )?` + docNoun + `(?:(?:,| and| or)(?: the)? ` + docNoun + `)*(?: (?:of|for|on|about|in) [^,]*?)? (?:also |now )?(?:says?|explains?|describes?|documents?|shows?|lists?|mentions?|names?|has|have|contains?|covers?|tells?|links?|gives?|includes?|warns?|points?|reflects?|matches|match|exists?|` + be + ` (?:also |all )?(?:updated|complete|current|correct|accurate|extended|written|added|up|there|in|clear|easy|readable|understandable|good|consistent|translated|adapted|adjusted)|updated|added|written|extended)\b|` +
			`^(?:document|describe|explain) (?:the|how|all|every|each|what|why|that|this|new|it|its|usage|in|CODE|OPT|FILE)\b|` +
			`^(?:update|extend|add|write|improve|complete|provide|create)\b.*\b` + docNoun + `|` +
			`^(?:\w+ )?` + docNoun + `(?: (?:for|of|on|about) [^,]*)?$|` +
			`\b(?:documented|described|explained|mentioned|listed|noted|shown|linked|section|entry|paragraph|chapter|example|line)\b.*\b(?:in|from|to|under) (?:the |our |its |a )?(?:\w+ )?` + docNoun + `\b|` +
			`\b` + be + `(?: \w+)? documented\b|^\w+(?: \w+)? documented$|` +
			`\b(?:has|have|gets?) (?:an? |a short )?` + docNoun + `\b|^(?:an? )?DOC (?:entry|section|line|page)\b`}},

	{kind: kindRead, also: kindKeeps, always: true, message: "tests can prove that all works as before; only a reader can tell whether the code is better",
		do: "say what must be there or gone: main.go has no function `parse` any more",
		words: lazy.Pattern{Text: `^(?:refactor|restructure|clean ?up|tidy|simplify|rework|polish) |` +
			`\b(?:refactored|restructured|cleaned up|tidied)\b`}},
	{kind: kindKeeps, message: sayKeeps,
		words: lazy.Pattern{Text: `\b(?:tests?|suites?|specs|linters?|lint|builds?|type ?checks?|type checking|compilation)(?: command| run| job| workspace| matrix)?(?: still)? (?:(?:` + be + ` )?(?:pass|passes|passed|passing|green|succeeds?|clean)|run green)\b|` +
			`\b(?:tests|BUILD) pass(?:es)?\b|` +
			`\b(?:it|code|project|package|everything|crate|module|solution|app)(?: still)? (?:compiles|builds)\b|` +
			`\b(?:compiles|builds|passes)(?: still)?: ?BUILD|: ?BUILD$`}},
	{kind: kindKeeps, message: sayKeeps, do: "name what must stay, with one example: sum 1 2 still prints 3",
		words: lazy.Pattern{Text: `\b` + be + `(?: \w+)? (?:un(?:changed|affected|touched|altered)|intact|not (?:changed|affected|broken|altered))\b|` +
			`^unchanged\b|` +
			`\b(?:does|do|must|should|may|shall|will|can) (?:not|never) (?:affect|influence|break|regress|make)\b|` +
			`\b(?:does|do|must|should|may|shall|will) (?:not|never) (?:change|alter) (?:existing|how|what|anything else|the (?:\w+ )?(?:behaviou?r|output|format|result|meaning|api|order|default|way))|` +
			`\b(?:behaviou?r|output|format|meaning|api|defaults?)(?: of [^,]*?)? (?:does|do|must|should) not change\b|` +
			`^no changes? (?:in|to|of) (?:the )?(?:behaviou?r|output|api|interface|format|defaults?)\b|` +
			`\bnothing else (?:changes|` + be + `)|` +
			`\bno (?:\w+ )?(?:behaviou?r(?:al)?|functional|visible|breaking|api) changes?\b|\bno (?:\w+ )?regressions?\b|` +
			`\bwithout (?:breaking|changing|affecting|regress)|` +
			`\b(?:as|like) (?:before|today|until now|previously|(?:it|they) (?:is|are|was|were|does|did|do)(?: today| now| before)?)(?:$|[ ,:])|` +
			`\b(?:continues?|continued) (?:to (?:work|pass|be|support|accept|build|compile|function|return)|working)\b|` +
			`\bkeeps? (?:on )?(?:working|passing|compiling|building|accepting|supporting|returning)\b|` +
			`\bkeeps? (?:its|their|the (?:old|same|existing|current)) (?:\w+ )?(?:names?|meanings?|behaviou?r|output|format|exit codes?|defaults?|signatures?|values?)\b|` +
			`\b(?:existing|old|all other) (?:[\w-]+ ){1,4}?(?:still|works?|pass(?:es)?|loads?|parses?|remains?|stays?|continues?|(?:is|are) (?:still )?(?:accepted|read|valid|supported|kept))\b|` +
			`\bbackwards?[- ]compatib\w+|\bcompatible with (?:the )?(?:existing|old|older|previous|earlier)|` +
			`\b(?:remains?|stays?) (?:the same|as (?:it is|is|before|they are)|the default|compatible|stable|identical)\b|` +
			`\bstill\b`}},

	{kind: kindRead, always: true, message: "only a reader can tell whether enough was looked at",
		do: "write what is there when it is done: import of 10,000 rows takes under 2 seconds",
		words: lazy.Pattern{Text: `^(?:investigate|research|discuss|consider|analy[sz]e|brainstorm|decide|look into|think about) |` +
			`^(?:review|explore|understand) (?:the|all|our|existing|how|why|whether|options|ways)\b`}},
	{kind: kindRead, always: true, message: "only a reader can tell whether code reads well",
		do: "say what must be there or gone: main.go has no function `parse` any more",
		words: lazy.Pattern{Text: `\b(?:code|functions?|modules?|packages?|implementation|class(?:es)?|codebase|tests?|structure|architecture|api|naming|names|script|queries) (?:is|are|stays?|be) (?:\w+ )?(?:clean|cleaner|readable|maintainable|idiomatic|simple|simpler|modular|well[- ]structured|well[- ]organi[sz]ed|extensible|elegant|testable|tidy|consistent|self-documenting)\b|` +
			`\b(?:clean code|best practices?|code quality|coding (?:style|standards?|guidelines?|conventions?)|solid principles)\b|` +
			`\bfollows? (?:\w+ )*(?:conventions?|patterns?|code style|guidelines)\b|` +
			`\bno (?:duplicated? code|code duplication|duplication)\b`}},
	{kind: kindRead, vague: true, message: "only a reader can tell whether words read well",
		do: `give the exact words: the error is "prices.csv: line 3: no amount"`,
		words: lazy.Pattern{Text: `\breads? (?:well|naturally|nicely)\b|\bwording\b|\btone of voice\b|\bphrased\b|\bself-explanatory\b|` +
			`\b(?:no|without|free of|fix|fixes) (?:\w+ )?(?:typos?|spelling|grammar)|` +
			`\btypos? ` + be + ` (?:fixed|corrected|gone)|\bplain (?:english|language|words)\b|\bjargon\b|` +
			`\b(?:easy|easier|simple|hard) to (?:read|understand|follow|grasp)\b|\bunderstandable\b|` +
			`\b(?:can|could|will) understand\b|` +
			`\b(?:messages?|texts?|labels?|errors?|instructions?|output|descriptions?|titles?|words) ` + be + ` (?:\w+ )?(?:clear|clearer|helpful|friendly|friendlier|user-friendly|consistent|polite|concise|useful|meaningful|good|better|nice|nicer|precise|readable|actionable|informative)\b`}},
	{kind: kindRead, vague: true, message: "only a person can tell whether it is easy to use",
		do: "name the steps and their result: `init`, then `run` with no option, prints the report",
		words: lazy.Pattern{Text: `\b(?:smooth|smoothly|seamless|seamlessly|intuitive|intuitively|user-friendly)\b|` +
			`\b(?:easy|easier|simple|simpler|convenient) to (?:use|navigate|operate|configure|install|set up)\b`}},
	{kind: kindRead, vague: true, message: "only a person can tell whether it looks right",
		do: `say what is there, and at which width: at 320 px the menu is behind the button "Menu"`,
		words: lazy.Pattern{Text: `^design (?:an?|the) |` +
			`\blooks? (?:good|nice|right|fine|great|clean|modern|better|professional|the same|consistent|well|like)\b|` +
			`\b(?:is|are|be|looks?) (?:\w+ )?(?:beautiful|pretty|elegant|modern|polished|appealing|pleasant)\b|\bvisually\b|` +
			`\blook and feel\b|\b(?:pleasant|nice) to look at\b|` +
			`\b(?:match(?:es)?|follows?|aligns? with|consistent with|fits?) (?:the |our )?(?:\w+ )?(?:designs?|mock-?ups?|figma|wireframes?|brand\w*|style ?guide|design system|rest of the (?:app|site|ui|page))\b|` +
			`\b(?:page|pages|layout|site|ui|form|table|screen|dialog|design|component|header|menu|app) (?:is|are|be) (?:fully )?responsive\b|` +
			`^responsive (?:design|layout)\b|\bspacing (?:is|are|looks)\b`}},

	{kind: kindShape, message: sayShape,
		words: lazy.Pattern{Text: `\bno (?:new|other|extra|additional|further|more|third-party|external|runtime|added) (?:\w+ )?dependenc|` +
			`\bwithout (?:an? |any |adding )*(?:new|extra|additional|other|third-party|external) (?:\w+ )?dependenc|` +
			`\b(?:adds?|introduces?|needs?) no (?:\w+ )?dependenc|` +
			`\bdependenc(?:y|ies)(?: on \S+| CODE)? (?:is|are) (?:removed|dropped|gone|added|pinned|updated|upgraded|bumped)\b|` +
			`\bonly (?:uses? )?the standard library\b|\bPROBE\b|\btests? fails? (?:without|before|on the base)\b|` +
			`\b(?:licen[cs]e|copyright) headers?\b|\bversion\b.*\b(?:is|was) (?:bumped|raised|increased)\b|` +
			`\bversion (?:number )?in FILE is\b|\bbump(?:s|ed)? (?:the )?version\b`}},
	{kind: kindShape, message: sayShape, do: doTests,
		words: lazy.Pattern{Text: `\b(?:unit |integration |regression |e2e |end-to-end |automated |new )*tests? (?:(?:are|is|have been|were) )?(?:added|written|exists?|included|updated|covers?|there)\b|` +
			`\b(?:covered|backed) by (?:\w+ )*tests?\b|` +
			`\btests? (?:for|of) [^,]* (?:is|are) (?:added|included|written|there)\b|` +
			`^(?:add|write|include|create) (?:\w+ ){0,3}tests?\b|` +
			`^(?:there (?:is|are) )?(?:a |an )?(?:unit|integration|regression) tests? (?:for|of)\b|` +
			`\b(?:has|have) (?:\w+ ){0,2}(?:unit|regression|integration) tests?\b|\bcoverage (?:is|of|stays|above|at|for)\b`}},
	{kind: kindShape, message: sayShape, do: doShape,
		words: lazy.Pattern{Text: `^(?:(?:the|an?|both|each|new|file|folder|there is|in) )*(?:\w+ )?(?:FILE|DOC)(?:(?:,| and) (?:FILE|DOC))*(?: file| script)? (?:exists?|has|have|contains?|says?|names?|lists|defines?|declares?|exports?|wants?|pins?|uses|sets|no longer|(?:is|are) (?:there|in|gone|removed|deleted|renamed|moved|split|present|empty|executable|committed|ignored|tracked|at|under|added|created|not there))\b|` +
			`^(?:the |an? )?(?:new )?(?:` + codeNoun + `|folder|directory) CODE exists\b|` +
			`\bthere (?:is|are) (?:an? |no |one |the )?(?:new |second )?(?:file|folder|directory|function|method|class|interface|package|module|constant|test)\b|` +
			`\b(?:(?:the|an?|old|deprecated|unused) )*` + codeNoun + `(?: (?:CODE|FILE|\w+))? (?:is|are) (?:renamed|moved|removed|deleted|gone|exported|deprecated|private|split|extracted|unexported)\b|` +
			`\b(?:CODE|FILE|OPT and OPT)(?: and (?:CODE|FILE))? (?:is|are) (?:renamed|moved|removed|deleted|gone|exported|deprecated|unexported|in FILE|defined in|declared in)\b(?:$|[.,:]| (?:to|and|from (?:FILE|the (?:code|codebase|api|package|repository|module|public)))\b| FILE)|` +
			`^(?:remove|delete|drop|rename|move|extract) (?:the |all |every )?(?:(?:unused|deprecated|old|legacy|dead|obsolete) |CODE|FILE|` + codeNoun + `\b)|` +
			`\b(?:unused|deprecated|legacy|dead|obsolete) (?:code|files?|scripts?|imports?) (?:is|are) (?:removed|deleted|gone)\b|` +
			`\b(?:added|removed|gone|bumped|pinned|updated)(?: \w+)? (?:to|from|in) FILE\b|\bFILE (?:exists?|is there)\b|` +
			`\bno (?:\w+ )?(?:file|module|package|code|test) (?:imports|uses|calls)\b|` +
			`\bthere (?:is|are) [^,]*\b(?:in|at|under) (?:FILE|DOC)\b|` +
			`\bno (?:\w+ )?CODE (?:(?:is|are) )?(?:left|remains?|remaining)\b|\b(?:is|are) (?:no longer|not) in FILE\b|` +
			`\b(?:use|uses|usages?) of .* (?:is|are) (?:gone|removed)\b|` +
			`\b(?:uses?|imports?|depends on) (?:\w+ )?CODE (?:instead of|rather than|in place of)\b|` +
			`\b(?:does not|do not|no longer|never) (?:imports?|depends? on|uses?) CODE|` +
			`\bno (?:\w+ ){0,2}(?:todos?|fixmes?|secrets?|passwords?|credentials|keys?|references?|mentions?|uses|usages?|calls|console\.logs?|imports?)\b.*(?:\b(?:is|are|in|of|to) (?:left |there )?(?:in )?(?:the )?(?:code|codebase|repository|repo|sources?|project|tree|git|CODE|FILE)|\b(?:left|remains?)$)|` +
			`\bhard-?coded\b|\bnowhere\b|\b(?:has|have) (?:full |complete )?type (?:annotations?|hints?)\b|` +
			`\bexports? (?:an? |the )?(?:` + codeNoun + ` )?CODE|\bsignature of CODE`}},
}

// codeNames are what a piece of code in a criterion may be, most particular first.
var codeNames = []struct {
	name    string
	pattern lazy.Pattern
}{
	{"PROBE", lazy.Pattern{Text: `^(?:! ?)?(?:test -[defs] |\[ -[defs] |grep |git grep |ls )`}},
	{"tests", lazy.Pattern{Text: `^(?:go test|npm (?:run )?test|yarn test|pnpm test|pytest|python3? -m (?:unittest|pytest)|make (?:test|check)|cargo test|mvn test|gradle test|tox|npx (?:jest|vitest))\b`}},
	{"BUILD", lazy.Pattern{Text: `^(?:go (?:vet|build)|gofmt|golangci-lint|(?:npx )?(?:tsc|eslint|prettier)|npm run (?:lint|build)|ruff|mypy|cargo (?:build|clippy|fmt)|node --check|python3? -m py_compile|make (?:lint|build|all))\b`}},
	{"OPT", lazy.Pattern{Text: `^--?[a-z][\w=-]*$`}},
	{"DOC", lazy.Pattern{Text: `^(?:[\w.-]+/)*(?:readme|changelog|[\w.-]+\.(?:md|mdx|rst|adoc))$|^docs?/[\w./-]+$`}},
	{"FILE", lazy.Pattern{Text: `^(?:[\w.*-]*/)*(?:[\w.*-]*\.(?:` + extensions + `)|dockerfile|makefile|gemfile)$`}},
}
