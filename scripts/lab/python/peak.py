# SPDX-License-Identifier: Apache-2.0
"""`peak.py FILE COMMAND…` runs the command and writes into FILE its exit code, its peak memory in kB, its seconds and the
processor's seconds."""
import resource
import subprocess
import sys
import time

start = time.monotonic()
code = subprocess.run(sys.argv[2:], check=False).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(code, usage.ru_maxrss, f"{time.monotonic() - start:.1f}", f"{usage.ru_utime + usage.ru_stime:.3f}", file=file)
