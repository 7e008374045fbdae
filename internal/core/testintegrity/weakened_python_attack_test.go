package testintegrity

import "strings"

var pyAttacks = []edit{
	{"file deleted", pyBank, "-", "deleted"},
	{"file blanked", pyBank, "", "emptied"},
	{"test removed", pyBank, pyDeposit, "removed"},
	{"test commented out", pyBank, pyLimits + "# def test_deposit():\n#     assert 1\n", "removed"},
	{"test in a string", pyBank, pyLimits + "'''" + pyDeposit + "'''\n", "removed"},
	{"test renamed away", pyBank, pyLimits + `
def _test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert account.log == ["deposit"]
`, "removed"},
	{"test of a class with a base removed", pyUnit + "    def test_b(self):\n        self.assertEqual(b(1), 2)\n", pyUnit, "removed"},
	{"if not True", pyBank, strings.Replace(pyBank, "    assert account.balance", "    if not True: assert account.balance", 1), "skipped"},
	{"while False", pyBank, strings.Replace(pyBank, "    assert account.balance", "    while False: assert account.balance", 1), "skipped"},
	{"while 0", pyBank, strings.Replace(pyBank, "    assert account.balance", "    while 0: assert account.balance", 1), "skipped"},
	{"mark.skip", pyBank, "@pytest.mark.skip(reason='flaky')" + pyDeposit + pyLimits, "skipped"},
	{"mark.skipif", pyBank, "@pytest.mark.skipif(CI, reason='flaky')" + pyDeposit + pyLimits, "skipped"},
	{"mark.xfail", pyBank, "@pytest.mark.xfail" + pyDeposit + pyLimits, "skipped"},
	{"skip of a class", pyBank, pyDeposit + "@pytest.mark.skip" + pyLimits, "skipped"},
	{"skip of a module", pyBank, "pytestmark = pytest.mark.skip\n" + pyDeposit + pyLimits, "skipped"},
	{"unittest.skip", pyUnit, `
class BankCase(unittest.TestCase):
    @unittest.skip("later")
    def test_interest(self):
        self.assertEqual(interest(100), 7)
        self.assertIn("rate", describe())
`, "skipped"},
	{"skipTest", pyUnit, `
class BankCase(unittest.TestCase):
    def test_interest(self):
        self.skipTest("later")
        self.assertEqual(interest(100), 7)
        self.assertIn("rate", describe())
`, "skipped"},
	{"raise SkipTest", pyUnit, `
class BankCase(unittest.TestCase):
    def test_interest(self):
        raise unittest.SkipTest
        self.assertEqual(interest(100), 7)
        self.assertIn("rate", describe())
`, "skipped"},
	{"__test__ = False", pyBank, pyDeposit + `
class TestLimits:
    __test__ = False
    def test_overdraft(self, rich):
        with pytest.raises(ValueError):
            rich.withdraw(2000)
        assert rich.balance == 1000
`, "skipped"},
	{"pass", pyBank, "def test_deposit():\n    '''deposits'''\n    pass\n" + pyLimits, "emptied"},
	{"ellipsis", pyBank, "def test_deposit(): ...\n" + pyLimits, "emptied"},
	{"return first", pyBank, `
def test_deposit():
    return
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert account.log == ["deposit"]
` + pyLimits, "emptied"},
	{"hollow copy below", pyBank, pyBank + "\ndef test_deposit():\n    pass\n", "emptied"},
	{"if False", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    if False:
        assert account.balance == 50
        assert account.log == ["deposit"]
` + pyLimits, "skipped"},
}
