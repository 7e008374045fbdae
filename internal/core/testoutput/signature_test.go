package testoutput

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// same holds two runs of the same failure each.
var same = []struct{ name, one, two string }{
	{"go test", "=== RUN   TestSum\n    sum_test.go:12: got 3, want 4\n--- FAIL: TestSum (0.00s)\nFAIL\nFAIL\twarp/sum\t0.012s\nFAIL\n",
		"=== RUN   TestSum\r\n    sum_test.go:48: got 3, want 4\r\n--- FAIL: TestSum (1.25s)\r\nFAIL\r\nFAIL\twarp/sum\t11.3s\r\nFAIL\r\n"},
	{"go test with a temporary folder", "open /tmp/TestLoad2719385/001/config.json: no such file or directory",
		"open /tmp/TestLoad99/002/config.json: no such file or directory"},
	{"go test with a temporary folder elsewhere", "TestLoad2719385/001: no such file", "TestLoad271/004: no such file"},
	{"go shuffle", "-test.shuffle 1700000000000000001\n--- FAIL: TestA (0.00s)", "-test.shuffle 17\n--- FAIL: TestA (0.01s)"},
	{"go panic", `panic: runtime error: index out of range [5] with length 3

goroutine 34 [running]:
testing.tRunner.func1.2({0x5112a0, 0xc00001c1b0})
	/usr/local/go/src/testing/testing.go:1545 +0x238
warp/sum.Sum(...)
	/home/me/warp/sum/sum.go:9
warp/sum.TestSum(0xc000083a00?)
	/home/me/warp/sum/sum_test.go:14 +0x1d
created by testing.(*T).Run in goroutine 1
exit status 2`, `panic: runtime error: index out of range [5] with length 3

goroutine 7 [running, 2 minutes]:
testing.tRunner.func1.2({0x6112a0, 0xc00021c1b0})
	/opt/go/src/testing/testing.go:1689 +0x24
warp/sum.Sum(...)
	/build/42/warp/sum/sum.go:10
warp/sum.TestSum(0xc0000a3a00?)
	/build/42/warp/sum/sum_test.go:15 +0x2f
created by testing.(*T).Run in goroutine 19
exit status 2`},
	{"jest", " FAIL  src/cart.test.js\n  ● cart › adds items\n\n    expect(received).toBe(expected)\n\n    Expected: 3\n    Received: 2\n\n    >  9 |     expect(c.count()).toBe(3)\n         |                       ^\n      10 |   })\n\n      at Object.<anonymous> (src/cart.test.js:9:23)\n\n  ✕ adds items (5 ms)\nTests:       1 failed, 4 passed, 5 total\nTime:        1.204 s",
		" FAIL  src/cart.test.js\n  ● cart › adds items\n\n    expect(received).toBe(expected)\n\n    Expected: 3\n    Received: 2\n\n    > 112 |     expect(c.count()).toBe(3)\n          |                       ^\n      113 |   })\n\n      at Object.<anonymous> (src/cart.test.js:112:23)\n\n  ✕ adds items\nTests:       1 failed, 4 passed, 5 total\nTime:        0.9 s"},
	{"pytest", "tests/test_bank.py F..                    [ 50%]\n______ test_deposit ______\n    def test_deposit():\n>       assert account.balance == 50\nE       assert 40 == 50\nE        +  where 40 = <bank.Account object at 0x7f3c5a1b2d90>.balance\n\ntests/test_bank.py:12: AssertionError\n=========== 1 failed, 2 passed in 0.12s ===========",
		"tests/test_bank.py F..                    [100%]\n_________ test_deposit _________\n    def test_deposit():\n>       assert account.balance == 50\nE       assert 40 == 50\nE        +  where 40 = <bank.Account object at 0x7fa91c0042e0>.balance\n\ntests/test_bank.py:31: AssertionError\n======== 1 failed, 2 passed in 6.40s ========"},
	{"python traceback", "Traceback (most recent call last):\n  File \"/home/me/app/bank.py\", line 12, in deposit\n    raise ValueError(\"negative\")\nValueError: negative",
		"Traceback (most recent call last):\n  File \"/srv/build/77/app/bank.py\", line 131, in deposit\n    raise ValueError(\"negative\")\nValueError: negative"},
	{"cargo", "   Compiling area v0.1.0 (/home/me/area)\n    Finished test [unoptimized + debuginfo] target(s) in 0.52s\n     Running unittests src/lib.rs (target/debug/deps/area-1a2b3c4d5e6f7a8b)\nthread 'tests::square' (41201) panicked at src/lib.rs:12:9:\nassertion `left == right` failed\n  left: 24\n right: 25\ntest result: FAILED. 0 passed; 1 failed; finished in 0.00s",
		"   Compiling area v0.1.0 (/builds/x/area)\n    Finished test [unoptimized + debuginfo] target(s) in 1m 02s\n     Running unittests src/lib.rs (target/debug/deps/area-9a2b3c4d5e6f7a80)\nthread 'tests::square' (7) panicked at src/lib.rs:140:9:\nassertion `left == right` failed\n  left: 24\n right: 25\ntest result: FAILED. 0 passed; 1 failed; finished in 0.31s"},
	{"rustc", "error[E0308]: mismatched types\n --> src/main.rs:9:18\n  |\n9 |     let x: u32 = \"a\";\n  |            ---   ^^^ expected `u32`, found `&str`",
		"error[E0308]: mismatched types\n   --> src/main.rs:109:18\n    |\n109 |     let x: u32 = \"a\";\n    |            ---   ^^^ expected `u32`, found `&str`"},
	{"maven", "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.045 s <<< FAILURE! - in shop.PriceTest\n[ERROR] PriceTest.addsTax:42 expected: <238> but was: <200>\n\tat shop.PriceTest.addsTax(PriceTest.java:42)\n\tat shop.PriceTest$$Lambda$14/0x0000000800c03000.run(Unknown Source)\n[INFO] Total time:  1.234 s\n[INFO] Finished at: 2024-05-01T12:00:00+02:00",
		"[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1.2 s <<< FAILURE! - in shop.PriceTest\n[ERROR] PriceTest.addsTax:57 expected: <238> but was: <200>\n\tat shop.PriceTest.addsTax(PriceTest.java:57)\n\tat shop.PriceTest$$Lambda$231/0x0000000800c0aa18.run(Unknown Source)\n[INFO] Total time:  01:02 min\n[INFO] Finished at: 2025-11-30T01:59:59Z"},
	{"tsc", "src/cart.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.", "src/cart.ts(130,17): error TS2322: Type 'string' is not assignable to type 'number'."},
	{"msbuild", `C:\src\a\Cart.cs(12): error CS0103: The name 'x' does not exist`, `D:\b\Cart.cs(7): error CS0103: The name 'x' does not exist`},
	{"gcc", "/home/me/p/a.c:12:5: error: 'x' undeclared\n   12 |     x = 1;\n      |     ^", "/ci/p/a.c:7:15: error: 'x' undeclared\n    7 |     x = 1;\n      |     ^"},
	{"eslint", "/home/me/p/src/cart.js\n  12:5   error  'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)", "/w/p/src/cart.js\n  9:15  error  'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)"},
	{"node", "Error: boom\n    at run (/home/me/p/a.js:12:5)\n    at file:///home/me/p/b.mjs:1:2\n    at node:internal/process/task_queues:95:5", "Error: boom\n    at run (/srv/p/a.js:2:51)\n    at file:///srv/p/b.mjs:14:22\n    at node:internal/process/task_queues:140:7"},
	{"colours", "\x1b[31m✗\x1b[0m \x1b]8;;http://x\x07adds\x1b]8;;\x1b\\ items", "✗ \x1b[1madds\x1b[22m items"},
	{"ports", "dial tcp 127.0.0.1:34567: connect: connection refused", "dial tcp 127.0.0.1:8081: connect: connection refused"},
	{"more ports", "listen tcp :8080: bind; [::1]:9000; localhost:3000; port 5432", "listen tcp :18080: bind; [::1]:19001; localhost:3; port 5"},
	{"process and seed", "worker pid=4711 (process 12) thread 9 seed: -42 --seed=7", "worker pid=1 (process 99812) thread 10 seed: -1 --seed=77"},
	{"uuid", "no user 123e4567-e89b-12d3-a456-426614174000 found", "no user 00000000-0000-4000-8000-00000000abcd found"},
	{"hashes", "at 1a2b3c4 tree 9b74c9897bac770ffc029102a200c5de and Price@1b2c6ec2", "at ff01c3d tree 0b74c9897bac770ffc029102a200c5df and Price@7d4991ad"},
	{"dates", "at 2024-01-02 15:04:05.123 +0200 CEST m=+0.003 and 2024/01/02 and Mon Jan  2 15:04:05 2006 and 15:04:05",
		"at 2025-12-31 01:04:05.9 +0100 CET m=+12.5 and 2023/11/30 and Tue, Dec 31 23:59:59 2031 and 01:01:01.5Z"},
	{"more dates", "2 Jan 2006 15:04 then March 3, 2024 then 2024-01-02T15:04Z", "31 December 2031 01:59 then May 13, 2025 then 2025-11-30T15:04Z"},
	{"durations", "took 0.03s, 12 ms, 1m2.5s, 3µs, 1,5 seconds, 2 min", "took 12s, 1 ms, 3h2m1s, 900.25µs, 20 seconds, 59 min"},
	{"progress", "[ 3/120] Building (45%) 12.5% done", "[119/120] Building (100%) 3% done"},
	{"temporary folders", "rm /var/folders/zz/abc12/T/x9/out.log and /tmp/go-build12/b001 and C:\\Users\\me\\AppData\\Local\\Temp\\q1\\out.log",
		"rm /var/folders/yy/q/T/x1/y/out.log and /tmp/pytest-of-me/pytest-4/x0 and C:\\Users\\you\\AppData\\Local\\Temp\\q2\\z\\out.log"},
	{"trailing blanks and blank lines", "a  \n\n\n  b\t\tc \n", "a\nb c"},
	{"progress redrawn", "1%\rdone", "2%\r\ndone"},
	{"rulers", "----- x ***** y ~~~~~~", "---- x ******** y ~~~~"},
}

func TestSignatureSame(t *testing.T) {
	for _, c := range same {
		if Signature(c.one) != Signature(c.two) {
			t.Errorf("%s:\n%s\n---\n%s", c.name, Normalise(c.one), Normalise(c.two))
		}
	}
}

// Pairs that are two failures.
var different = []struct{ name, one, two string }{
	{"test name", "--- FAIL: TestSum (0.00s)", "--- FAIL: TestSub (0.00s)"},
	{"small number", "got 3, want 4", "got 3, want 5"},
	{"float", "got 3.5", "got 3.6"},
	{"word", "Expected: red", "Expected: blue"},
	{"file", "sum_test.go:12: no", "sub_test.go:12: no"},
	{"base of a path", "/home/me/a/one.go:1: no", "/home/me/a/two.go:1: no"},
	{"relative folder", "pkg/a/x.go:1", "pkg/b/x.go:1"},
	{"order", "a\nb", "b\na"},
	{"code of an error", "error TS2322", "error TS2345"},
	{"exit status", "exit status 1", "exit status 2"},
	{"index", "index out of range [5] with length 3", "index out of range [4] with length 3"},
	{"count of failures", "1 failed, 2 passed", "2 failed, 1 passed"},
	{"value after a colon", `{"status":500}`, `{"status":404}`},
	{"value after a colon and a blank", "Received: 2", "Received: 3"},
	{"value in brackets", "was <3>", "was <4>"},
	{"short hexadecimal value", "want 0x1f", "want 0x2f"},
	{"hexadecimal word", "was defaced", "was acceded"},
	{"method", "GET /users failed", "GET /posts failed"},
	{"fraction", "got 1/2", "got 1/3"},
	{"value of an object", "{a:1.5,b:3}", "{a:1.5,b:4}"},
	{"call in a message", "x.sum(3) failed", "x.sum(4) failed"},
	{"value after two colons", "a:b:3", "a:b:4"},
	{"progress with more to it", "[3/4, 5ms]", "[3/5, 5ms]"},
	{"version", "v1.2.3", "v1.2.4"},
	{"file in a temporary folder", "/tmp/x1/one.json: missing", "/tmp/x1/two.json: missing"},
	{"subtest", "--- FAIL: TestA/one", "--- FAIL: TestA/two"},
	{"numbered subtest", "--- FAIL: TestA1/001", "--- FAIL: TestA1/002"},
	{"panic", "panic: nil map", "panic: closed channel"},
	{"month that is a word", "may 3", "may 4"},
	{"unit that is too short", "3 m", "4 m"},
	{"position that is a value", "ratio 3:4", "ratio 3:5"},
	{"nothing", "", "x"},
}

func TestSignatureDifferent(t *testing.T) {
	for _, c := range different {
		if Signature(c.one) == Signature(c.two) {
			t.Errorf("%s: both are %s", c.name, Normalise(c.one))
		}
	}
}

func TestSignatureForm(t *testing.T) {
	// The digest is stored between runs of the program, so its value is fixed.
	if got := Signature(""); got != "cbf29ce484222325" {
		t.Errorf("got %s", got)
	}
	if got := Signature("a_test.go:1: no"); len(got) != 16 || strings.Trim(got, "0123456789abcdef") != "" {
		t.Errorf("got %s", got)
	}
}

func TestNormaliseShows(t *testing.T) {
	for in, want := range map[string]string{
		"a.go:12:5: got 3 (0.03s)":          "a.go:<n>:<n>: got 3",
		"x (0.03s) y":                       "x (<dur>) y",
		"/home/me/p/a.go:3":                 "<dir>/a.go:<n>",
		"/tmp/x/a.go":                       "<tmp>/a.go",
		"/tmp/x1":                           "<tmp>",
		"/etc":                              "/etc",
		"/a/b/":                             "<dir>/b/",
		"\x1b[1;31mred\x1b[0m":              "red",
		"\x1b[31":                           "",
		"\x1b":                              "",
		"\x1b]8;;x\nnext":                   "next",
		"\x1b[3\x01m":                       "m",
		"\x1bMup":                           "Mup",
		"0x1 0xc000012345 0x1":              "0x1 <addr> <addr>",
		"x 12345678901 y":                   "x <n> y",
		"deadbeef1 12345678":                "<hash> 12345678",
		"Price@1b2c6ec2 x@decade":           "Price@<addr> x@decade",
		"/tmp/x/.env":                       "<tmp>",
		"C:/src/a/Cart.cs C:x/y/z":          "<dir>/Cart.cs C:x/y/z",
		"[select, 2 minutes] [a, 2 b]":      "[select] [a, 2 b]",
		"0xyz (0x) 0x1g abc1234z":           "0xyz (0x) 0x1g abc1234z",
		"0x1234":                            "0x1234",
		"0x12345":                           "<addr>",
		"Price@1b2c6 Price@1b2c":            "Price@<addr> Price@1b2c",
		"x :8 x :80 x :123456":              "x :8 x :<n> x :123456",
		"1234567890 123456789":              "<n> 123456789",
		"(12) foo (12) panicked at":         "(12) foo (<n>) panicked at",
		"12:5 message":                      "<n>:<n> message",
		"12:5":                              "<n>:<n>",
		"12:5x 12 | x":                      "12:5x 12 | x",
		"===== === ____ ___ __":             "=== === ___ ___ __",
		"a.c(1,2): x a.c(3): y":             "a.c(<n>,<n>): x a.c(<n>): y",
		"/tmp/a.json":                       "<tmp>",
		"TestLoad271/004: x TestA271/0041":  "TestLoad<n>/<n>: x TestA271/0041",
		"a@b.com":                           "a@b.com",
		"2024-01-02T03:04:05.678901Z start": "<time> start",
		"2024-1-2":                          "2024-1-2",
		"line\t12":                          "line <n>",
		"port(8080)":                        "port(<n>)",
		"[12/ 34] (a/b) [3/x] [5%":          "[<pct>] (a/b) [3/x] [<pct>",
		"a.c(1,2) a.c(,2): a.c(1,): a.c(x)": "a.c(1,2) a.c(,2): a.c(1,): a.c(x)",
	} {
		if got := Normalise(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// What differs from run to run, wherever it stands, changes no signature.
func TestSignatureIgnoresNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		message := rapid.StringMatching(`[a-z]{1,12}( [a-z]{1,8}){0,4}`).Draw(t, "message")
		draw := func(label string) string {
			n := func(name string, top int) string { return decimal(rapid.IntRange(1, top).Draw(t, label+name)) }
			hex := rapid.StringMatching(`[0-9a-f]{6,12}`).Draw(t, label+"address")
			return "goroutine " + n("goroutine", 9999) + " [running]:\n\t/w/" + n("root", 99) + "/pkg/a_test.go:" + n("line", 99999) + ":" + n("col", 200) +
				": " + message + " at 0x" + hex + " +0x" + hex[:2] + " after " + n("ms", 9999) + "ms, " + n("s", 60) + "." + n("fraction", 999) + "s\n" +
				"pid=" + n("pid", 99999) + " 127.0.0.1:" + n("port", 65535) + " /tmp/TestA" + n("temp", 999999) + "/001/out.txt " + n("pct", 100) + "%\n" +
				"--- FAIL: TestA (" + n("total", 99) + ".02s)\n"
		}
		one, two := draw("one "), draw("two ")
		if Signature(one) != Signature(two) {
			t.Fatalf("%s\n---\n%s", Normalise(one), Normalise(two))
		}
		if !strings.Contains(Normalise(one), message) {
			t.Fatalf("the message is lost: %s", Normalise(one))
		}
	})
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

func FuzzNormalise(f *testing.F) {
	for _, c := range same {
		f.Add(c.one)
		f.Add(c.two)
	}
	for _, c := range different {
		f.Add(c.one)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Normalise(text)
		if twice := Normalise(once); twice != once {
			t.Fatalf("once  %q\ntwice %q", once, twice)
		}
		if strings.ContainsAny(once, "\x1b\r") {
			t.Fatalf("control characters are left: %q", once)
		}
	})
}
