package tokens

import (
	"strings"
	"testing"
)

const told = `{"parentUuid":null,"message":{"content":[{"text":"say \"usage\"","type":"text"}],"id":"msg_1","model":"claude-opus-5","role":"assistant","usage":{"input_tokens":1,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":4,"cache_creation":{"ephemeral_5m_input_tokens":2},"service_tier":"standard"}},"requestId":"req_1","type":"assistant","uuid":"u","timestamp":"2026-11-15T10:12:30.868Z","sessionId":"s"}`

func TestReadLine(t *testing.T) {
	m, ok := ReadLine([]byte(told))
	want := Message{Key: hash("msg_1", "req_1"), At: 1794737550868, Session: "s", Model: "claude-opus-5", Tokens: Tokens{1, 4, 3, 2}}
	if !ok || m != want {
		t.Errorf("%+v, want %+v", m, want)
	}
	spaced := strings.NewReplacer(`":`, `" : `, `,"`, `, "`).Replace(told)
	if m, ok := ReadLine([]byte(spaced)); !ok || m != want {
		t.Errorf("with spaces: %+v", m)
	}
	for what, line := range map[string]string{
		"a person's":         strings.Replace(told, `"type":"assistant"`, `"type":"user"`, 1),
		"torn":               told[:len(told)-1],
		"none":               strings.Replace(told, `"usage":{`, `"used":{`, 1),
		"usage of something": `{"type":"assistant","usage":{"input_tokens":5},"message":{"id":"x"}}`,
		"an inner one":       `{"type":"progress","data":{"message":` + told + `}}`,
		"null":               `{"type":"assistant","message":{"id":"x","usage":null}}`,
		"nothing used":       `{"type":"assistant","message":{"id":"x","usage":{"input_tokens":0}}}`,
		"negative":           `{"type":"assistant","message":{"id":"x","usage":{"input_tokens":-5}}}`,
		"absurd":             `{"type":"assistant","message":{"id":"x","usage":{"input_tokens":9223372036854775807}}}`,
		"no object":          `["usage"]`,
	} {
		if m, ok := ReadLine([]byte(line)); ok {
			t.Errorf("%s: %+v", what, m)
		}
	}
}

func TestWhatIsOneMessage(t *testing.T) {
	key := func(old, new string) uint64 {
		m, ok := ReadLine([]byte(strings.Replace(told, old, new, 1)))
		if !ok {
			t.Fatalf("%s is not read", new)
		}
		return m.Key
	}
	first := key("", "")
	if key(`"uuid":"u"`, `"uuid":"v"`) != first || key(`"sessionId":"s"`, `"sessionId":"fork"`) != first {
		t.Error("a copy counts as another message")
	}
	if key(`"req_1"`, `"req_2"`) == first || key(`"msg_1"`, `"msg_2"`) == first {
		t.Error("another message counts as a copy")
	}
	bare := strings.NewReplacer(`"id":"msg_1",`, "", `"requestId":"req_1",`, "").Replace(told)
	a, _ := ReadLine([]byte(bare))
	b, _ := ReadLine([]byte(strings.Replace(bare, `"uuid":"u"`, `"uuid":"v"`, 1)))
	if a.Key == b.Key {
		t.Error("messages without ids are one")
	}
}

func FuzzReadLine(f *testing.F) {
	f.Add([]byte(told))
	f.Fuzz(func(t *testing.T, line []byte) {
		if m, ok := ReadLine(line); ok && (m.Sum() <= 0 || min(m.Input, m.Output, m.CacheRead, m.CacheWrite) < 0) {
			t.Errorf("%+v", m)
		}
	})
}

func BenchmarkReadLine(b *testing.B) {
	line := []byte(strings.Replace(told, "say", strings.Repeat("word ", 800), 1))
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		ReadLine(line)
	}
}
