"""What the tests of the package share: the programs of the build, and errors of one line."""
import os
import subprocess
import tempfile
import unittest

import diamondtorre

BUILD = os.environ["TORRE_BUILD"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, name, *arguments):
        """Run a program of the build in the test's folder; its standard error where it fails."""
        command = [os.path.join(BUILD, name), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        return done.stderr if done.returncode else None

    def refused(self, error, text, function, *arguments, **options):
        """The call raises that error, with one line that holds the text."""
        with self.assertRaises(error) as caught:
            function(*arguments, **options)
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        self.assertIsInstance(caught.exception, diamondtorre.TorreError)
