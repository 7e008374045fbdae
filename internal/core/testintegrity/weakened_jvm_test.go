package testintegrity

import "testing"

const jvPrice = `
    @Test
    void addsTax() {
        Price p = new Price(200);
        assertEquals(238, p.gross());
        assertThat(p.label()).isEqualTo("two hundred");
    }
`

const jvRefuses = `
    @Test
    @DisplayName("refuses")
    void refusesNegative() throws Exception {
        assertThrows(IllegalArgumentException.class, () -> new Price(-1));
    }
`

// jvClass is a test class with the given methods.
func jvClass(methods string) string {
	return "package shop;\n\nimport org.junit.jupiter.api.*;\n\nclass PriceTest {\n" + methods + "}\n"
}

var jvAttacks = []edit{
	{"file deleted", jvClass(jvPrice), "-", "deleted"},
	{"test removed", jvClass(jvPrice + jvRefuses), jvClass(jvPrice), "removed"},
	{"annotation removed", jvClass(jvPrice + jvRefuses), jvClass(jvPrice + `
    void refusesNegative() throws Exception {
        assertThrows(IllegalArgumentException.class, () -> new Price(-1));
    }
`), "removed"},
	{"annotation commented out", jvClass(jvPrice), jvClass("//" + jvPrice[1:]), "removed"},
	{"disabled", jvClass(jvPrice + jvRefuses), jvClass("@Disabled(\"flaky\")" + jvPrice + jvRefuses), "skipped"},
	{"ignored by its full name", jvClass(jvPrice), jvClass("@org.junit.Ignore" + jvPrice), "skipped"},
	{"class disabled", jvClass(jvPrice), "@Disabled\n" + jvClass(jvPrice), "skipped"},
	{"disabled on a system", jvClass(jvPrice), jvClass("@DisabledOnOs(OS.LINUX)" + jvPrice), "skipped"},
	{"enabled = false", jvClass(jvPrice), jvClass(`
    @Test(enabled = false)
    void addsTax() {
        Price p = new Price(200);
        assertEquals(238, p.gross());
        assertThat(p.label()).isEqualTo("two hundred");
    }
`), "skipped"},
	{"assumption", jvClass(jvPrice), jvClass(`
    @Test
    void addsTax() {
        assumeTrue(System.getenv("CI") == null);
        Price p = new Price(200);
        assertEquals(238, p.gross());
        assertThat(p.label()).isEqualTo("two hundred");
    }
`), "skipped"},
	{"emptied", jvClass(jvPrice), jvClass("@Test\nvoid addsTax() {}\n"), "emptied"},
	{"if (false)", jvClass(jvRefuses), jvClass(`
    @Test
    void refusesNegative() throws Exception {
        if (false) { assertThrows(IllegalArgumentException.class, () -> new Price(-1)); }
    }
`), "skipped"},
	{"test of the old kind removed", "class A extends TestCase {\n public void testOne() { assertEquals(1, one()); }\n public void testTwo() { assertEquals(2, two()); } }",
		"class A extends TestCase {\n public void testOne() { assertEquals(1, one()); } }", "removed"},
}

var jvHarmless = []edit{
	{"new file", "-", jvClass(jvPrice), ""},
	{"test added", jvClass(jvPrice), jvClass(jvPrice + jvRefuses), ""},
	{"test renamed", jvClass(jvPrice + jvRefuses), jvClass(jvPrice + `
    @Test
    public void rejectsNegative() {
        assertThrows(IllegalArgumentException.class, () -> new Price(-1));
    }
`), ""},
	{"parameterized", jvClass("@Test void sums() { assertEquals(30, sum(10, 20)); assertEquals(11, sum(5, 6)); }"),
		jvClass("@ParameterizedTest @CsvSource({\"10,20,30\"})\n@MethodSource(\"x\") void sums(int a, int b, int c) { int[] d = {10, 20, 30, 5, 6, 11}; assertEquals(c, sum(a, b)); }"), ""},
	{"helper extracted", jvClass(jvPrice), jvClass(`
    private static <T> void checkPrice(Price p) {
        assertEquals(238, p.gross());
        assertThat(p.label()).isEqualTo("two hundred");
    }
    @Test
    void addsTax() { checkPrice(new Price(200)); }
`), ""},
	{"matcher of another library", jvClass(jvPrice), jvClass(`
    @Test
    void addsTax() {
        Price p = new Price(200);
        assertThat(p.gross(), is(238));
        Assertions.assertEquals("two hundred", p.label());
    }
`), ""},
	{"words in strings and comments", jvClass("@Test void a() { assertEquals(\"@Disabled\", f('\"', 4)); } /* @Test */"),
		jvClass("@Test void a() { assertEquals(\"\"\"\n @Ignore assertTrue(true) \"\"\", f('\"', 4)); } // @Disabled"), ""},
	{"classes of the same tests reordered",
		"class A { @Nested class One { @Test void a() { assertEquals(2, one(1)); assertEquals(4, one(3)); } }\n@Nested class Two { @Test void a() { assertEquals(6, two(5)); } } }",
		"class A { @Nested class Two { @Test void a() { assertEquals(6, two(5)); } }\n@Nested class One { @Test void a() { assertEquals(2, one(1)); assertEquals(4, one(3)); } } }", ""},
	{"false that switches nothing off", jvClass("@Test void a() { assertEquals(11, f(12)); }"),
		jvClass("@Test void a() { boolean b = false; enabled = b; assertEquals(11, f(12)); }"), ""},
	{"name that only sounds like an assertion", jvClass("@Test void a() { shouldStop(1); assertEquals(11, f(12)); }"), jvClass("@Test void a() { assertEquals(11, f(12)); }"), ""},
	{"loop in a test", jvClass("@Test void a() { assertEquals(11, f(12)); }"), jvClass("@Test void a() { for (int i = 0; i < 3; i++) { assertEquals(11, f(12)); } }"), ""},
	{"helper that throws", jvClass("@Test void a() { assertEquals(11, f(12)); }"),
		jvClass("void same(int a, int b) { if (a != b) throw new AssertionError(); }\n@Test void a() { same(11, f(12)); }"), ""},
}

func TestWeakenedJava(t *testing.T) {
	atLeast(t, jvAttacks, jvHarmless, 6, 4)
	t.Run("attack", func(t *testing.T) { runEdits(t, "src/test/java/shop/PriceTest.java", jvAttacks) })
	t.Run("harmless", func(t *testing.T) { runEdits(t, "src/test/java/shop/PriceTest.java", jvHarmless) })
}

const ktPrice = "class PriceTest {\n    @Test\n    fun `adds tax`() = runTest {\n        assertEquals(238, price(200).gross)\n" +
	"        price(5).label shouldBe \"five ${unit(\"euro\")}\"\n    }\n\n    @Test\n    fun plain() = assertEquals(7, price(6).gross)\n\n    @Test\n    fun block(): Unit {\n        assertTrue(price(1).small)\n    }\n}\n"

func TestWeakenedKotlin(t *testing.T) {
	runEdits(t, "src/commonTest/kotlin/PriceTest.kt", []edit{
		{"expression replaced", ktPrice, "class PriceTest {\n    @Test\n    fun `adds tax`() = runTest {\n        assertEquals(238, price(200).gross)\n        price(5).label shouldBe \"five ${unit(\"euro\")}\"\n    }\n\n    @Test\n    fun plain() = Unit\n\n    @Test\n    fun block(): Unit {\n        assertTrue(price(1).small)\n    }\n}\n", "emptied"},
		{"test removed", ktPrice, "class PriceTest {\n    @Test\n    fun `adds tax`() = runTest {\n        assertEquals(238, price(200).gross)\n        price(5).label shouldBe \"five ${unit(\"euro\")}\"\n    }\n\n    @Test\n    fun plain() = assertEquals(7, price(6).gross)\n}\n", "removed"},
		{"named test removed", ktPrice, "class PriceTest {\n    @Test\n    fun plain() = assertEquals(7, price(6).gross)\n\n    @Test\n    fun block(): Unit {\n        assertTrue(price(1).small)\n    }\n}\n", "removed"},
		{"unchanged", ktPrice, ktPrice + "// end", ""},
		{"cut short", "@Test fun a() = assertEquals(1, f())", "@Test fun a() =", "emptied"},
	})
}

// A port to the other language of the family is no loss.
func TestWeakenedJavaToKotlin(t *testing.T) {
	got := FindWeakened([]Change{
		{Path: "src/test/java/PriceTest.java", Before: []byte(jvClass("@Test void plain() { assertEquals(7, price(6).gross()); }"))},
		{Path: "src/test/kotlin/PriceTest.kt", After: []byte("class PriceTest {\n @Test fun plain() { assertEquals(7, price(6).gross) }\n}")},
	})
	if len(got) != 0 {
		t.Errorf("got %v", got)
	}
}
