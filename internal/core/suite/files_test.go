package suite

import "testing"

func TestIsTest(t *testing.T) {
	for _, path := range []string{
		"a_test.go", "src/a.test.ts", "src/__tests__/a.js", "tests/a.py", "conftest.py", "tests/conftest.py", "tests/__init__.py", "a_spec.rb", "tests/a.rs",
		"src/test/java/a/Helper.java", "PriceTest.kt", "tests/PriceTest.php", "App.Tests/Helper.cs", "a.bats", "test/run.sh", "src/test/resources/data.xml",
		"src/__snapshots__/a.test.ts.snap", "testdata/input.txt", "x/testdata/a_test.go", "tests/fixtures/a.json", "fixtures/b.yml", "x.golden", "golden/a.txt",
		"tests/data.json", "./tests/data.json", `tests\data.json`, "tests/README.md/x.json", "src/__mocks__/fs.js", "testdata/README.md",
	} {
		if !IsTest(path) {
			t.Errorf("%s decides what is tested", path)
		}
	}
	for _, path := range []string{"", "a.go", "src/main.ts", "README.md", "tests/README.md", "vendor/x/testdata/a", "node_modules/x/tests/a.js", "Makefile", "src/main/resources/a.xml", "latest/a.go", "tests/"} {
		if IsTest(path) {
			t.Errorf("%s does not", path)
		}
	}
}
