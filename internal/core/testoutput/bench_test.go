package testoutput

import (
	"bytes"
	"os"
	"testing"
)

func BenchmarkReader(b *testing.B) {
	for _, name := range []string{"go-json", "go-verbose", "node-tap", "cargo"} {
		b.Run(name, func(b *testing.B) {
			text, err := os.ReadFile("testdata/listed/" + name + ".txtar")
			if err != nil {
				b.Fatal(err)
			}
			lines := bytes.SplitAfter(text, []byte("\n"))
			r := NewReader("")
			for i := 0; b.Loop(); i++ {
				r.Line(lines[i%len(lines)])
			}
		})
	}
}
