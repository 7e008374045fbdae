package quality

import (
	"strings"
	"sync"

	"warp/internal/core/lexicon"
)

// noise holds the words that every test has, which say nothing about which one
// it is: keywords and the vocabulary of the test frameworks.
var noise = lexicon.Set{List: `t b f if else for in of range return func function const let var val fun def self this
 async await new true false True False nil null None not and or is import from public private void static
 final throws class fn mut pub use assert require expect it test describe should to be toBe toEqual
 toStrictEqual toBeTruthy toBeDefined toHaveBeenCalled Equal NoError Nil NotNil Error Errorf
 Fatal Fatalf Run testing T assertEqual assertEquals assertTrue assertFalse assertThat isEqualTo isTrue
 assertNotNull assertNull assertIsNone assertIsNotNone assert_eq assert_ne Test pytest raises unittest
 pass err error with as try catch except Override String int super deepEqual strictEqual equal ok got want`}

// inert holds what a body may consist of and still do nothing.
var inert = lexicon.Set{List: `pass return None undefined null Unit`}

// loop holds what repeats an assertion: loops and parameter lists.
var loop = lexicon.Set{List: `for while loop forEach each for_each parametrize subTest ParameterizedTest RepeatedTest
 TestFactory test_case rstest`}

// leaves holds the functions that end the whole run.
var leaves = lexicon.Set{List: `exit Exit _exit exitProcess`}

var constant = lexicon.Set{List: `true false True False 0 1`}

// asserting reports whether a function of the project's own is an assertion by
// its name, as in checkUser, assert_rows and expectNoLeak.
func asserting(name string) bool {
	for _, pre := range [...]string{"assert", "check", "verify", "expect", "require"} {
		if rest, ok := strings.CutPrefix(name, pre); ok {
			return rest == "" || rest[0] == '_' || rest[0] >= 'A' && rest[0] <= 'Z'
		}
	}
	return false
}

// claim is what an assertion of a given name says about its arguments.
type claim uint8

const (
	truth claim = iota + 1
	falsity
	equality
	absence
	presence
)

// claims holds the assertions that a constant can satisfy, over all languages:
// their names do not clash in what they claim.
var claims = sync.OnceValue(func() map[string]claim {
	m := map[string]claim{}
	for c, names := range map[claim]string{
		truth:    "assert assertTrue assert_ True ok isOk isTrue toBeTruthy truthy check",
		falsity:  "assertFalse False notOk isFalse toBeFalsy falsy",
		absence:  "assertNull assertIsNone Nil NoError isNull toBeNull toBeUndefined",
		presence: "assertNotNull assertIsNotNone NotNil isNotNull toBeDefined",
		equality: `assertEqual assertEquals assertSame assertIs assertArrayEquals assertContentEquals Equal
 EqualValues Exactly Same strictEqual deepEqual deepStrictEqual equal eq eql is isEqualTo isSameAs toBe
 toEqual toStrictEqual assert_eq assert_matches`,
	} {
		for _, name := range strings.Fields(names) {
			m[name] = c
		}
	}
	return m
})

// faint holds the assertions that only ask whether there is something at all.
var faint = lexicon.Set{List: `toBeDefined toBeTruthy NotNil NotEmpty assertNotNull assertIsNotNone isNotNull
 isNotEmpty exist exists is_some is_ok`}
