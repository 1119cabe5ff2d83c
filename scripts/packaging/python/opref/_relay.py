# SPDX-License-Identifier: Apache-2.0
"""The worker that `opref check` starts for a function of Python: it hands requests to the process that has the function, and
its answers back. Usage: _relay.py SOCKET"""
import socket
import sys


def main() -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        answers = connection.makefile("rb")
        for request in sys.stdin.buffer:
            connection.sendall(request)
            answer = answers.readline()
            if not answer:
                sys.exit("the process that has the function is gone")
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()


main()
