# SPDX-License-Identifier: Apache-2.0
# scripts/lab/python/kept_runner.py: a worker that dies or hangs costs that case alone, a worker that is killed costs none, and what it
# answered is not asked again.
set -u
. cli/testing.sh

# Dies in the first case, hangs in the second, is killed in the third; then it copies the input, and says of the last one that it lacks it.
cat >worker.py <<'END'
import json, os, shutil, signal, sys, time
starts = int(open("starts").read() or 0) + 1
open("starts", "w").write(str(starts))
for number, line in enumerate(sys.stdin):
    request = json.loads(line)
    if starts == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if starts == 2:
        time.sleep(1000)
    if starts == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    shutil.copy(os.path.join(request["inputs"], "input_0.pb"), os.path.join(request["outputs"], "output_0.pb"))
    print(json.dumps({"id": request["id"], "status": "unsupported" if number else "ok", "why": "no such type" if number else ""}), flush=True)
END
: >starts
"$opref" golden ai.onnx:Identity --filter '^identity_25_f(16|32|64)|^identity_25_i8' -o cases >/dev/null || exit 1
count=$(find cases -name model.onnx | wc -l)
[ "$count" -ge 4 ] || wrong "$count cases, at least four are needed"
find cases -name model.onnx | sort | tail -n +5 | while read -r model; do rm -r "${model%/*}"; done
keeper="python3 $source/scripts/lab/python/kept_runner.py answers.sqlite 1 python3"
for run in first second; do
  ends 1 '4 cases: 1 pass, 0 fail, 2 error, 1 unsupported, 0 skip' check cases -j 1 --timeout 60 --runner "$keeper worker.py"
  says 'the backend ended by SIGSEGV'
  says 'the backend took more than 1 s'
  says 'no such type'
  [ "$(cat starts)" = 4 ] || wrong "the worker was started $(cat starts) times, not 4, after the $run run"
done
done_testing
