#!/usr/bin/python3
"""run.py [NAME...]: the tests of the Python package, printed in the form that tests/run.sh counts.

The package is what `import kiln` finds. Names are those of test modules beside this file; none: all of them.
"""
import glob
import os
import sys
import unittest

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Printed(unittest.TestResult):
    """Prints cases as cmocka does."""

    def startTest(self, test):
        super().startTest(test)
        print(f"[ RUN      ] {test.id()}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        print(f"[       OK ] {test.id()}", flush=True)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"[  SKIPPED ] {test.id()}\nskipped: {test.id()}: {reason}", flush=True)

    def addError(self, test, error):
        super().addError(test, error)
        print(self.errors[-1][1], f"[  FAILED  ] {test.id()}", sep="\n", flush=True)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        print(self.failures[-1][1], f"[  FAILED  ] {test.id()}", sep="\n", flush=True)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            print(f"{subtest.id()}: {error[1]}", flush=True)


def main():
    sys.path.insert(0, FOLDER)
    names = sys.argv[1:] or sorted(os.path.basename(path)[:-3] for path in glob.glob(FOLDER + "/test_*.py"))
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromName(name) for name in names)
    result = Printed()
    suite.run(result)
    for test, text in result.errors:
        if not hasattr(test, "_testMethodName"):  # a module that can't be loaded, or a class without a setting
            print(f"[ RUN      ] {test}\n{text}\n[  FAILED  ] {test}")
    sys.exit(not result.wasSuccessful())


main()
