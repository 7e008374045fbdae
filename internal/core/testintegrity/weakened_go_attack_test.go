package testintegrity

var goAttacks = []edit{
	{"file deleted", goSum, "-", "deleted"},
	{"file blanked", goSum, "\n", "emptied"},
	{"test removed", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}`, "removed"},
	{"test commented out", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
/*
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}
*/`, "removed"},
	{"test made a helper", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func testPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "removed"},
	{"skip", goTwo, `package sum
func TestParse(t *testing.T) {
	t.Skip("flaky")
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "skipped"},
	{"skip under a condition", goTwo, `package sum
func TestParse(t *testing.T) {
	if os.Getenv("CI") != "" { t.SkipNow() }
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "skipped"},
	{"build constraint", goSum, "//go:build ignore\n\n" + goSum, "skipped"},
	{"old build constraint", goSum, "// +build never\n\n" + goSum, "skipped"},
	{"body emptied", goSum, "package sum\nfunc TestSum(t *testing.T) {\n\t// later\n}\n", "emptied"},
	{"return first", goTwo, `package sum
func TestParse(t *testing.T) {
	return
	require.Equal(t, 7, Parse("seven"))
	require.Equal(t, 8, Parse("eight"))
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "emptied"},
	{"if false", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	if false {
		require.Equal(t, 8, Parse("eight"))
	}
}
func TestPrint(t *testing.T) {
	assert.Equal(t, "nine", Print(9))
}`, "skipped"},
	{"loop that never runs", goTwo, `package sum
func TestParse(t *testing.T) {
	require.Equal(t, 7, Parse("seven"))
	for false {
		require.Equal(t, 8, Parse("eight"))
	}
}
func TestPrint(t *testing.T) { assert.Equal(t, "nine", Print(9)) }`, "skipped"},
}
