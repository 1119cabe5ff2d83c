# SPDX-License-Identifier: Apache-2.0
"""Tables, as text with aligned columns or as markdown; lines of 80 columns."""
import textwrap


def wrapped(text, indent=""):
    """`indent` is that of the second line and the following ones."""
    return "\n".join(textwrap.wrap(text, 80, subsequent_indent=indent))


def table(header, rows, markdown):
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    if markdown:
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
        return "\n".join([lines[0], "|" + " --- |" * len(header), *lines[1:]])
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)
