"""The blocks of a page of the documents, so that a test can type them."""

import os
import pathlib
import re
import shlex
import subprocess

from conftest import PROGRAM

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 60


class Tutorial:
    """A page: the files that it writes, its lines for the shell with their outputs, and its other blocks."""

    def __init__(self, name):
        self.files = {}
        self.lines = []
        self.others = []
        above, was_line = "", False
        for part in re.split(r"^(```.*?^```$)", (ROOT / "docs" / name).read_text(), flags=re.S | re.M):
            if not part.startswith("```"):
                above, was_line = part, was_line and not part.strip()
                continue
            kind, text = part[3:-3].split("\n", 1)
            path = re.search(r"[Ww]rite\s+`([^`]+)`:\s*$", above)
            if kind == "sh":
                self.lines.append([text.replace("\\\n", " ").strip(), None])
            elif was_line and not kind:
                self.lines[-1][1] = text
            elif path:
                self.files[path[1]] = text
            else:
                self.others.append(text)
            was_line = kind == "sh"

    def write(self, folder, changes=()):
        """Writes the files below a folder, with some texts changed, such as ports."""
        for path, text in self.files.items():
            for old, new in changes:
                text = text.replace(old, new)
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)

    def line(self, beginning):
        """Returns the line of the shell that begins so, and its output on the page."""
        (found,) = [line for line in self.lines if line[0].startswith(beginning)]
        return found


def words(line, changes=()):
    """Returns the words of a line, with the built program for `headwater`."""
    for old, new in changes:
        line = line.replace(old, new)
    program = os.path.abspath(PROGRAM)
    return [program if word == "headwater" else word for word in shlex.split(line)]


def run(line, folder):
    """Runs a line in a folder, and returns what it prints."""
    done = subprocess.run(words(line), cwd=folder, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done
    return done.stdout


class Process:
    """A process that prints where it listens."""

    def __init__(self, arguments, folder):
        self.process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, text=True)
        self.said = ""
        while "listening on" not in self.said:
            line = self.process.stdout.readline()
            assert line, f"the process ended: {self.said}"
            self.said = line
        self.url = self.said.split()[-1]

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()
