package event

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warp/internal/core/lossless"
)

var same = cmp.Comparer(lossless.Equal)

func value(t testing.TB, text string) *lossless.Value {
	t.Helper()
	v, err := lossless.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// rows are one of each kind.
func rows(t testing.TB) []Row {
	return []Row{
		{},
		{At: "2026-05-08T15:56:59.401Z", Kind: Edit, PID: 51506, Data: value(t, `{"file":"src/file.ts"}`)},
		{At: "2026-05-08T15:57:00.000Z", Kind: Criterion, Data: value(t, `{"issue":"42","id":"AC-01","checked":true}`)},
		{At: "2026-05-08T15:57:01.000Z", Kind: Gate, Data: value(t, `{"event":"code_complete","gate":"make lint","passed":false,"seconds":1.50}`)},
		{At: "2026-05-08T15:57:02.000Z", Kind: Document, Name: "transition", Doc: ".warp-drive-state.json", Rev: 7, Patch: value(t, `[{"op":"replace","path":"/phase","value":"coding"}]`), Sum: "0123abcd"},
		{At: "2026-05-08T15:57:03.000Z", Kind: Document, Name: "init", Doc: "x", Rev: 1, Full: value(t, `{"a":null,"n":1e2,"s":"\u0041","crc":"00000000"}`), Sum: "ffffffff"},
		{Kind: Recovered, Data: value(t, `null`)},
		{Kind: Removed, Name: "a \"quoted\" name\nin é 😀 \x00\x7f", Doc: `,"crc":"deadbeef"}`},
	}
}

func TestARowIsReadAsItWasWritten(t *testing.T) {
	for _, r := range rows(t) {
		line := string(r.Line())
		body, ended := strings.CutSuffix(line, "\n")
		if !ended || strings.ContainsAny(body, "\n\r") || !Intact(body) {
			t.Errorf("not one whole line: %q", line)
		}
		got, err := new(Reader).Parse(body)
		if diff := cmp.Diff(r, got, same); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
		if again := string(got.Line()); again != line {
			t.Errorf("written again: %s, want %s", again, line)
		}
	}
}

func TestALineIsPlainJSONWithItsChecksumLast(t *testing.T) {
	r := Row{At: "t", Kind: Edit, PID: 3, Data: value(t, `{"file":"a"}`), Offset: 99}
	const head = `{"at":"t","kind":"edit","pid":3,"data":{"file":"a"}`
	want := head + `,"crc":"` + Sum([]byte(head)) + "\"}\n"
	if got := string(r.Line()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSumIsTheCRC32OfGzip(t *testing.T) {
	if got := Sum([]byte("123456789")); got != "cbf43926" { // the check value of CRC-32
		t.Errorf("got %s", got)
	}
	if got := Sum(nil); got != "00000000" {
		t.Errorf("of nothing: %s", got)
	}
}

func TestAnyRowSurvives(t *testing.T) {
	text := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		r := Row{
			At: text.Draw(t, "at"), Kind: text.Draw(t, "kind"), Name: text.Draw(t, "name"), PID: rapid.Int().Draw(t, "pid"),
			Doc: text.Draw(t, "doc"), Rev: rapid.Int64().Draw(t, "rev"), Sum: text.Draw(t, "sum"), Data: lossless.NewString(text.Draw(t, "data")),
		}
		got, err := new(Reader).Parse(strings.TrimSuffix(string(r.Line()), "\n"))
		if diff := cmp.Diff(r, got, same); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestEverySingleByteChangeIsDetected(t *testing.T) {
	for _, r := range rows(t) {
		line := strings.TrimSuffix(string(r.Line()), "\n")
		damaged := []byte(line)
		for i := range damaged {
			for c := range 256 {
				if byte(c) == line[i] {
					continue
				}
				damaged[i] = byte(c)
				if Intact(string(damaged)) {
					t.Fatalf("byte %d of %s as %q goes unnoticed", i, line, byte(c))
				}
			}
			damaged[i] = line[i]
		}
	}
}

func TestEveryTornOrGrownLineIsDetected(t *testing.T) {
	for _, r := range rows(t) {
		line := strings.TrimSuffix(string(r.Line()), "\n")
		for i := range line {
			for name, torn := range map[string]string{"cut": line[:i], "begun late": line[i+1:], "a byte lost": line[:i] + line[i+1:], "a byte doubled": line[:i+1] + line[i:]} {
				if Intact(torn) && torn != line {
					t.Errorf("%s at %d: %s goes unnoticed", name, i, torn)
				}
			}
		}
		if Intact(line+"\n") || Intact(line+" ") || Intact(line+line) {
			t.Errorf("something behind %s goes unnoticed", line)
		}
	}
}

// sealed gives any text a checksum that holds.
func sealed(body string) string { return body + crcMark + Sum([]byte(body)) + `"}` }

func TestParseSaysWhyALineIsNoRow(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "a damaged row: its checksum does not match"},
		{"{}", "a damaged row: its checksum does not match"},
		{`,"crc":"00000000"}`, "a damaged row: line 1, column 1: ',' cannot begin a value"},
		{`{"at":"t","kind":"edit","crc":"00000000"}`, "a damaged row: its checksum does not match"},
		{strings.ToUpper(sealed(`{"at":"t","kind":"edit"`)), "a damaged row: its checksum does not match"},
		{sealed(`{"at":"t","kind":edit`), "a damaged row: line 1, column 18: 'e' cannot begin a value"},
		{sealed(`{"at":"t","crc":1`), `a damaged row: line 1, column 36: the object that ends here has the member "crc" twice`},
		{sealed(`{"at":"t","kind":7`), "a damaged row: kind must be a string, not a number"},
		{sealed(`{"at":"t","kind":"edit","rev":"1"`), "a damaged row: rev must be a whole number, not a string"},
	} {
		got, err := new(Reader).Parse(c.line)
		var d *damagedError
		if !errors.As(err, &d) || err.Error() != c.want || cmp.Diff(Row{}, got, same) != "" {
			t.Errorf("Parse(%s)\n got %+v, %v\nwant %s", c.line, got, err, c.want)
		}
	}
}

func TestUnknownMembersOfARowAreNoDamage(t *testing.T) {
	got, err := new(Reader).Parse(sealed(`{"at":"t","future":[1],"kind":"edit"`))
	if diff := cmp.Diff(Row{At: "t", Kind: "edit"}, got, same); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func FuzzRow(f *testing.F) {
	for _, r := range rows(f) {
		line := strings.TrimSuffix(string(r.Line()), "\n")
		f.Add(line)
		f.Add(line[:len(line)-crcWidth])
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := new(Reader).Parse(text); (err == nil) && !Intact(text) {
			t.Fatalf("a damaged row was read: %q", text)
		}
		r, err := new(Reader).Parse(sealed(text))
		if err != nil {
			return
		}
		back, err := new(Reader).Parse(strings.TrimSuffix(string(r.Line()), "\n"))
		if diff := cmp.Diff(r, back, same); err != nil || diff != "" {
			t.Fatalf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	})
}
