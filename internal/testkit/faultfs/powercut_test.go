package faultfs

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPowerCut says for each history what each mode leaves of it.
func TestPowerCut(t *testing.T) {
	const gone = "<gone>"
	z := func(n int) string { return string(make([]byte, n)) }
	tests := []struct {
		name string
		run  func(t *testing.T, f *FS)
		// /d/a after DropAll, MetadataFirst, DataFirst, Torn, TornZeros, KeepAll.
		want [6]string
	}{
		{"a new file, nothing synced", func(t *testing.T, f *FS) {
			write(t, f, "/d/a", replace, "1234", false)
		}, [6]string{gone, "", gone, "12", "12" + z(2), "1234"}},
		{"a new file, content synced", func(t *testing.T, f *FS) {
			write(t, f, "/d/a", replace, "1234", true)
		}, [6]string{gone, "1234", gone, "1234", "1234", "1234"}},
		{"a new file, entry synced", func(t *testing.T, f *FS) {
			write(t, f, "/d/a", replace, "1234", false)
			must(t, f.SyncDir("/d"))
		}, [6]string{"", "", "1234", "12", "12" + z(2), "1234"}},
		{"a new file, entry synced before the writing", func(t *testing.T, f *FS) {
			o := open(t, f, "/d/a", replace)
			must(t, f.SyncDir("/d"))
			_, err := o.Write([]byte("1234"))
			must(t, err)
		}, [6]string{"", "", "1234", "12", "12" + z(2), "1234"}},
		{"a new file, both synced", func(t *testing.T, f *FS) {
			write(t, f, "/d/a", replace, "1234", true)
			must(t, f.SyncDir("/d"))
		}, [6]string{"1234", "1234", "1234", "1234", "1234", "1234"}},
		{"synced while empty, then written", func(t *testing.T, f *FS) {
			write(t, f, "/d/a", replace, "", true)
			write(t, f, "/d/a", extend, "1234", false)
			must(t, f.SyncDir("/d"))
		}, [6]string{"", z(4), "1234", "12", "12" + z(2), "1234"}},
		{"appended", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("old"))
			write(t, f, "/d/a", extend, "12345", false)
		}, [6]string{"old", "old" + z(5), "old12345", "old12", "old12" + z(3), "old12345"}},
		{"appended twice, synced between", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("old"))
			write(t, f, "/d/a", extend, "1", true)
			write(t, f, "/d/a", extend, "22", false)
		}, [6]string{"old1", "old1" + z(2), "old122", "old12", "old12" + z(1), "old122"}},
		{"cut short", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("123456"))
			must(t, open(t, f, "/d/a", os.O_RDWR).Truncate(2))
		}, [6]string{"123456", "12", "12", "12", "12", "12"}},
		{"cut short and appended", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("123456"))
			must(t, open(t, f, "/d/a", os.O_RDWR).Truncate(2))
			write(t, f, "/d/a", extend, "xyzw", false)
		}, [6]string{"123456", "12" + z(4), "12xyzw", "12xy", "12xy" + z(2), "12xyzw"}},
		{"rewritten in place", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("123456"))
			write(t, f, "/d/a", os.O_RDWR, "abc", false)
		}, [6]string{"123456", "123456", "abc456", "123456", "123456", "abc456"}},
		{"replaced by rename, nothing synced", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("old"))
			write(t, f, "/d/tmp", replace, "1234", false)
			must(t, f.Rename("/d/tmp", "/d/a"))
		}, [6]string{"old", "", "old", "12", "12" + z(2), "1234"}},
		{"replaced by rename, content synced", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("old"))
			write(t, f, "/d/tmp", replace, "1234", true)
			must(t, f.Rename("/d/tmp", "/d/a"))
		}, [6]string{"old", "1234", "old", "1234", "1234", "1234"}},
		{"replaced by rename, both synced", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("old"))
			write(t, f, "/d/tmp", replace, "1234", true)
			must(t, f.Rename("/d/tmp", "/d/a"))
			must(t, f.SyncDir("/d"))
		}, [6]string{"1234", "1234", "1234", "1234", "1234", "1234"}},
		{"removed", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("old"))
			must(t, f.Remove("/d/a"))
		}, [6]string{"old", gone, "old", gone, gone, gone}},
		{"removed after an earlier sync of the folder", func(t *testing.T, f *FS) {
			write(t, f, "/d/a", replace, "1234", true)
			must(t, f.SyncDir("/d"))
			must(t, f.Remove("/d/a"))
		}, [6]string{"1234", gone, "1234", gone, gone, gone}},
		{"removed and synced", func(t *testing.T, f *FS) {
			f.WriteFile("/d/a", []byte("old"))
			must(t, f.Remove("/d/a"))
			must(t, f.SyncDir("/d"))
		}, [6]string{gone, gone, gone, gone, gone, gone}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := New()
			f.WriteFile("/d/other", nil)
			test.run(t, f)
			for i, mode := range Modes() {
				got := gone
				after := f.AfterPowerCut(mode)
				if data, ok := after.Files()["/d/a"]; ok {
					got = string(data)
				}
				if got != test.want[i] {
					t.Errorf("%v: got %q, want %q", mode, got, test.want[i])
				}
				if mode == KeepAll {
					continue
				}
				// What was found on the disk is on the disk.
				if diff := cmp.Diff(after.Files(), after.AfterPowerCut(DropAll).Files()); diff != "" {
					t.Errorf("%v, second cut (-first +second):\n%s", mode, diff)
				}
			}
		})
	}
}

func TestModeNames(t *testing.T) {
	var got []string
	for _, mode := range append(Modes(), Mode(99)) {
		got = append(got, mode.String())
	}
	want := []string{"DropAll", "MetadataFirst", "DataFirst", "Torn", "TornZeros", "KeepAll", "Mode(99)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	f := New()
	f.WriteFile("/a", nil)
	panics(t, func() { f.AfterPowerCut(Mode(99)) })
}
