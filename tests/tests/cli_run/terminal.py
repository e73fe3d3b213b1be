"""Runs a command on a terminal of 12 rows and 80 columns, and tells what it shows in the end.

Arguments: a text, a file, the command. The file is made once the lowest row begins with the text.
Written is one JSON object: `seen` (the lowest row then), `rows` (all rows in the end), `code`.
"""

import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios

ROWS, COLUMNS = 12, 80
TOKEN = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|\x1b([78D])|([\r\n])|([^\x1b\r\n]+)")


class Screen:
    """As much of a terminal as programs here make use of."""

    def __init__(self):
        self.rows = [" " * COLUMNS for _ in range(ROWS)]
        self.at, self.saved, self.region = (0, 0), (0, 0), (0, ROWS - 1)

    def down(self):
        row, column = self.at
        top, bottom = self.region
        if row == bottom:
            self.rows[top : bottom + 1] = self.rows[top + 1 : bottom + 1] + [" " * COLUMNS]
        elif row < ROWS - 1:
            self.at = (row + 1, column)

    def write(self, text):
        for character in text:
            row, column = self.at
            if column == COLUMNS:
                self.at = (row, 0)
                self.down()
                row, column = self.at
            line = self.rows[row]
            self.rows[row] = line[:column] + character + line[column + 1 :]
            self.at = (row, column + 1)

    def control(self, numbers, letter):
        numbers = [int(number or 0) for number in numbers.split(";")]
        row, column = self.at
        if letter == "H":
            self.at = (max(numbers[0], 1) - 1, 0)
        elif letter == "A":
            self.at = (max(row - max(numbers[0], 1), 0), column)
        elif letter == "K":
            assert numbers == [2], numbers
            self.rows[row] = " " * COLUMNS
        elif letter == "r":
            self.region = (numbers[0] - 1, numbers[1] - 1) if numbers[0] else (0, ROWS - 1)
            self.at = (0, 0)
        else:
            assert letter == "m", letter

    def feed(self, text):
        """Returns what is not whole yet."""
        place = 0
        while found := TOKEN.match(text, place):
            place = found.end()
            numbers, letter, escape, line, words = found.groups()
            if letter:
                self.control(numbers, letter)
            elif escape == "7":
                self.saved = self.at
            elif escape == "8":
                self.at = self.saved
            elif escape == "D" or line == "\n":
                self.down()
            elif line == "\r":
                self.at = (self.at[0], 0)
            else:
                self.write(words)
        return text[place:]


def main():
    sign, ready, *command = sys.argv[1:]
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.execvp(command[0], command)
    screen, rest, seen = Screen(), "", None
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        rest = screen.feed(rest + read.decode())
        if seen is None and screen.rows[-1].startswith(sign):
            seen = screen.rows[-1].rstrip()
            open(ready, "w").close()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    rows = [row.rstrip() for row in screen.rows]
    json.dump({"seen": seen, "rows": rows, "code": code}, sys.stdout)


main()
