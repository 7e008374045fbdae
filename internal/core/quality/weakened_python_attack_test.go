package quality

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
	{"class renamed away", pyBank, pyDeposit + `
class Limits:
    def test_overdraft(self, rich):
        with pytest.raises(ValueError):
            rich.withdraw(2000)
        assert rich.balance == 1000
`, "removed"},
	{"class renamed away, from object", pyBank, pyDeposit + `
class Limits(object):
    def test_overdraft(self, rich):
        with pytest.raises(ValueError):
            rich.withdraw(2000)
        assert rich.balance == 1000
`, "removed"},
	{"class renamed away, from nothing", pyBank, pyDeposit + `
class Limits():
    def test_overdraft(self, rich):
        with pytest.raises(ValueError):
            rich.withdraw(2000)
        assert rich.balance == 1000
`, "removed"},
	{"one of two of the same name", pyTwins("    assert one(1) == 2\n        assert one(3) == 4", "    assert two(5) == 6"),
		pyTwins("    assert one(1) == 2", "    assert two(5) == 6\n        assert two(7) == 8"), "weakened"},
	{"parameters removed", "@pytest.mark.parametrize('a,b', [(10, 20), (5, 6), (7, 8)])\ndef test_a(a, b):\n    assert f(a) == b\n",
		"@pytest.mark.parametrize('a,b', [(10, 20), (7, 8)])\ndef test_a(a, b):\n    assert f(a) == b\n", "weakened"},
	{"plain parameter removed", "@pytest.mark.parametrize('a', ['p', 'q', 'r'])\ndef test_a(a):\n    assert f(a)\n",
		"@pytest.mark.parametrize('a', ['p', 'r'])\ndef test_a(a):\n    assert f(a)\n", "weakened"},
	{"test of a class with a base removed", pyUnit + "    def test_b(self):\n        self.assertEqual(b(1), 2)\n", pyUnit, "removed"},
	{"assertion on the line of its condition removed", "def test_a():\n    if f(1): assert(f(2) == 3)\n    x = 4; assert(f(5))\n", "def test_a():\n    if f(1): f(2)\n    x = 4; f(5)\n", "weakened"},
	{"if not True", pyBank, strings.Replace(pyBank, "    assert account.balance", "    if not True: assert account.balance", 1), "skipped"},
	{"while False", pyBank, strings.Replace(pyBank, "    assert account.balance", "    while False: assert account.balance", 1), "skipped"},
	{"while 0", pyBank, strings.Replace(pyBank, "    assert account.balance", "    while 0: assert account.balance", 1), "skipped"},
	{"new test that skips itself", pyBank, pyBank + "\ndef test_new():\n    pytest.skip('x')\n    assert new(4) == 5\n", "skipped"},
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
	{"return in the middle", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    return None
    assert account.log == ["deposit"]
` + pyLimits, "weakened"},
	{"assertion removed", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
` + pyLimits, "weakened"},
	{"raises removed", pyBank, pyDeposit + `
class TestLimits:
    def test_overdraft(self, rich):
        assert rich.balance == 1000
`, "weakened"},
	{"assert True", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert True
` + pyLimits, "weakened weakened"},
	{"or True", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert account.log == ["deposit"] or True
` + pyLimits, "weakened weakened"},
	{"assert of a tuple", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert (account.log == ["deposit"], "log")
` + pyLimits, "weakened weakened"},
	{"compared with itself", pyUnit, `
class BankCase(unittest.TestCase):
    def test_interest(self):
        x = interest(100)
        self.assertEqual(x, x)
        self.assertIn("rate", describe())
`, "weakened weakened"},
	{"presence instead of a value", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50
    assert account.log is not None
` + pyLimits, "weakened"},
	{"failures swallowed", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    try:
        assert account.balance == 50
        assert account.log == ["deposit"]
    except AssertionError:
        pass
` + pyLimits, "weakened"},
	{"failures suppressed", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    with contextlib.suppress(AssertionError):
        assert account.balance == 50
        assert account.log == ["deposit"]
` + pyLimits, "weakened"},
	{"hollow copy below", pyBank, pyBank + "\ndef test_deposit():\n    pass\n", "emptied"},
	{"assertEqual overridden", pyUnit, pyUnit + "    def assertEqual(self, a, b):\n        pass\n", "weakened"},
	{"loss hidden by a new test", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    assert account.balance == 50

def test_truth():
    assert len("abc") == 3
    assert len("ab") == 2
` + pyLimits, "weakened"},
	{"if False", pyBank, `
def test_deposit():
    account = Account()
    account.deposit(50)
    if False:
        assert account.balance == 50
        assert account.log == ["deposit"]
` + pyLimits, "skipped"},
	{"new test that is skipped", pyBank, pyBank + "\n@pytest.mark.skip\ndef test_new():\n    assert new(4) == 5\n", "skipped"},
	{"run ended with success", pyBank, pyBank + "\ndef pytest_configure():\n    os._exit(0)\n", "skipped"},
}
