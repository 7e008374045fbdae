package criteria

import "warp/internal/core/lazy"

// frameworks are names that look like files.
const frameworks = "node.js next.js vue.js nuxt.js express.js react.js three.js d3.js p5.js"

// englishWords tell that a text is English: no other language gets advice in its place.
const englishWords = "the is are with of and for not it its without by has have returns prints shows when if"

// openWords leave a measure to somebody else.
const openWords = "slightly some few several many large huge big long short small recent recently soon often rarely sometimes similar usual usually normal"

// unclearMessage is a message that is described instead of given.
var unclearMessage = lazy.Pattern{Text: `(?i)\b(?:clear|meaningful|helpful|useful|friendly|descriptive|informative|proper|suitable|good|readable|understandable|actionable)(?: \w+)? (?:errors?|warnings?|messages?|hints?|texts?)\b`}

const unclearMessageDo = `give one bad input and its exact message and exit code: price -1 prints "price: -1 is negative" and exits with 2`

// topics are what new behaviour may be about, with an example to follow.
var topics = []struct{ words, do string }{
	{"error errors invalid refused refuses refuse rejected rejects reject fails fail raises raise throws throw warning warns exception bad broken malformed illegal", unclearMessageDo},
	{"endpoint endpoints request requests response api route routes http url header headers webhook", `add one request with its answer: GET /users?limit=2 answers 200 with two users`},
	{"command commands flag flags option options prints print output cli stdout stderr argument arguments subcommand", `add one command line with what it prints: sum 1 2 prints 3`},
	{"button page pages form dialog screen click clicks clicked menu link links modal toggle field checkbox tab", `name the page, what is done there and the words that are there then: after "Save", /settings has "Saved"`},
	{"sorted sorts sort sorting alphabetical grouped filtered filters filter unique", `add an example list with its result: b, a, C becomes a, b, C`},
	{"config configuration setting settings environment variable", `add one setting with what it changes: with colour: off in config.yml the output has no colours`},
	{"csv json import imports export exports upload uploads row rows line lines parse parses parser", `add the content of one small file with its result: a file with two rows and one empty line gives 2`},
	{"date dates time times timezone timestamp timestamps day days hour hours expires expire", `add one time with its result: 2024-03-31 01:30 in Berlin is shown as 01:30 CET`},
}
