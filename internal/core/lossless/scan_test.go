package lossless

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func scan(text string) (got []string, err error) {
	err = Scan([]byte(text), func(key string, raw []byte) { got = append(got, key+"="+string(raw)) })
	return got, err
}

func TestScanFindsTheMembersOfAnObject(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:               "",
		`{"\u12":1,"b":2}`: "=1|b=2",
		` { } `:            "",
		`{"a":1}`:          "a=1",
		`{"a" : "x\"}y" , "b\u0041":[1,{"c":"]"}]}`:       `a="x\"}y"|bA=[1,{"c":"]"}]`,
		"{\n\t\"n\": -1.5e3,\n\t\"t\": true, \"z\":null}": `n=-1.5e3|t=true|z=null`,
		`{"s":"\\","q":"\\\"","e":""}`:                    `s="\\"|q="\\\""|e=""`,
		`{"o":{ "a" : [ ] },"p":[[],[{}]]}`:               `o={ "a" : [ ] }|p=[[],[{}]]`,
	} {
		got, err := scan(text)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestScanSaysWhereAPayloadBreaksAndKeepsWhatCameBefore(t *testing.T) {
	for text, want := range map[string]string{
		``:              "[] line 1, column 1: an object begins with '{'",
		`[1]`:           "[] line 1, column 1: an object begins with '{'",
		`{"a":1,`:       "[a=1] line 1, column 8: a member begins with its name",
		`{"a":1,"b":"x`: "[a=1] line 1, column 14: the value of \"b\" has no end",
		`{"a":{"b":1}`:  `[a={"b":1}] line 1, column 13: a ',' or the object's end is missing`,
		`{"a" 1}`:       "[] line 1, column 6: a ':' is missing after the member's name",
		`{"a":}`:        "[] line 1, column 6: the value of \"a\" has no end",
		`{"a":1} {`:     "[a=1] line 1, column 9: something follows the end of the document",
	} {
		got, err := scan(text)
		if have := fmt.Sprintf("%v %v", got, err); have != want {
			t.Errorf("%s:\n got %s\nwant %s", text, have, want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":[{"c":"\\\""}]}`, `{"a":"x`, `[`, "{\"\x00\":\n}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got []Member
		err := Scan(text, func(key string, raw []byte) {
			v, err := Parse(raw)
			if err == nil {
				got = append(got, Member{key, v})
			}
		})
		v, bad := Parse(text)
		if bad != nil || v.Kind != Object {
			return // what is no document may be scanned or not
		}
		if err != nil || len(got) != len(v.Members) {
			t.Fatalf("%q: %d members, %v; it has %d", text, len(got), err, len(v.Members))
		}
		for i, m := range v.Members {
			if m.Key != got[i].Key || !Equal(m.Value, got[i].Value) {
				t.Fatalf("%q: member %d is %q %s", text, i, got[i].Key, got[i].Value.Raw)
			}
		}
	})
}

func BenchmarkScanTenMegabytes(b *testing.B) {
	text := []byte(`{"session_id":"x","tool_response":{"stdout":"` + string(bytes.Repeat([]byte(`line of output \"quoted\"\n`), 400_000)) + `"},"tool_name":"Bash"}`)
	for b.Loop() {
		if err := Scan(text, func(string, []byte) {}); err != nil {
			b.Fatal(err)
		}
	}
}
