package drivestate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warp/internal/core/lossless"
)

// What the history does by name must be what the codec does by description.
func TestTheHistoryCodesItselfAsTheCodecWould(t *testing.T) {
	text := rapid.SampledFrom([]string{`"coding"`, `"t"`, `""`, `"a\u0062"`, `null`, `7`, `[]`, `["x","y"]`, `[1]`, `{}`})
	key := rapid.SampledFrom([]string{"phase", "at", "from", "event", "reasons", "note"})
	rapid.Check(t, func(t *rapid.T) {
		var rows []*lossless.Value
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			row := lossless.NewObject()
			for _, k := range rapid.SliceOfNDistinct(key, 0, 6, rapid.ID[string]).Draw(t, "keys") {
				v, err := lossless.Parse([]byte(text.Draw(t, k)))
				if err != nil {
					t.Fatal(err)
				}
				row.Members = append(row.Members, lossless.Member{Key: k, Value: v})
			}
			rows = append(rows, row)
		}
		src := lossless.NewObject(lossless.Member{Key: "history", Value: &lossless.Value{Kind: lossless.Array, Elems: rows}})
		var byName struct {
			History History `json:"history"`
		}
		var byCodec struct {
			History []Row `json:"history"`
		}
		errName, errCodec := lossless.Decode(src, &byName), lossless.Decode(src, &byCodec)
		if (errName == nil) != (errCodec == nil) || errName != nil && errName.Error() != errCodec.Error() {
			t.Fatalf("by name: %v\nby codec: %v", errName, errCodec)
		}
		if errName != nil {
			return
		}
		if diff := cmp.Diff(byCodec.History, []Row(byName.History), ignoreRest, cmp.Comparer(func(a, b []string) bool { return cmp.Equal(append([]string{}, a...), append([]string{}, b...)) })); diff != "" {
			t.Fatalf("-codec +name:\n%s", diff)
		}
		if len(byName.History) > 0 && rapid.Bool().Draw(t, "change") {
			byName.History[0].At, byCodec.History[0].At = "later", "later"
			byName.History, byCodec.History = append(byName.History, Row{Phase: Coding}), append(byCodec.History, Row{Phase: Coding})
		}
		name, codec := lossless.AppendCompact(nil, lossless.Encode(byName, src)), lossless.AppendCompact(nil, lossless.Encode(byCodec, src))
		if string(name) != string(codec) {
			t.Fatalf("by name:  %s\nby codec: %s", name, codec)
		}
	})
}
