"""Who runs against whom: waiting processes of peers, which are stopped but when asked, and executables of ours."""
import json
import os
import re
import signal
import subprocess
import time

from peers import cases, checkpoint
from peers.environment import ROOT


def cpus(threads):
    """The last of those that we may use: the first has the machine's own work."""
    return set(sorted(os.sched_getaffinity(0))[-threads:])


def start(command, threads, **more):
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus(threads)), **more)


class Waiting:
    """A process that answers a line with a line of JSON, and is stopped meanwhile: threads of some libraries spin long after their work."""

    def __init__(self, command, threads, environment, log):
        self.process = start(command, threads, stdin=subprocess.PIPE, stderr=log, env=environment)
        self.process.send_signal(signal.SIGSTOP)

    def ask(self, line):
        self.process.send_signal(signal.SIGCONT)
        try:
            print(line, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        self.process.send_signal(signal.SIGSTOP)
        return json.loads(answer) if answer else {"failed": "the process died"}

    def close(self):
        self.process.kill()
        self.process.wait()


class Limits(Waiting):
    MS = 60

    def __init__(self, environment, threads, log):
        super().__init__([f"{environment.folder}/limits", str(threads)], threads, os.environ, log)

    def measure(self):
        return self.ask(self.MS)


class Peer(Waiting):
    """One that Python drives."""

    def __init__(self, name, environment, threads, log):
        command = [environment.python, "-m", "peers.worker", name, str(threads), environment.models]
        super().__init__(command, threads, environment.variables(threads), log)
        self.name, self.environment = name, environment

    def load(self, case, ours):
        return self.ask(json.dumps({"do": "load", "case": cases.to_dictionary(case), "ours": ours.result}))

    def time(self, ms):
        return self.ask(json.dumps({"do": "time", "ms": ms}))


class OneDnn(Waiting):
    def __init__(self, name, environment, threads, log):
        libraries = f"{environment.prefix(name)}/lib"
        variables = {"LD_LIBRARY_PATH": libraries, "OCL_ICD_FILENAMES": f"{libraries}/libintelocl.so", "DPCPP_CPU_NUM_CUS": str(threads)}
        super().__init__([f"{environment.folder}/{name}-worker"], threads, environment.variables(threads) | variables, log)
        self.name = name

    def load(self, case, ours):
        n, k, copies = (case.model.sizes[name] for name in ("n", "k", "copies"))
        m, places, weights = case.inputs["x"][0], checkpoint.places(ours.folder), f"{ours.folder}/model.safetensors"
        files = [(weights, places["w.0"][1]), (weights, places["b.0"][1]), (ours.inputs["x"], checkpoint.array_place(ours.inputs["x"], m * k)),
                 (ours.result, checkpoint.array_place(ours.result, m * n))]
        return self.ask(f"load {m} {n} {k} {copies} " + " ".join(f"{path} {offset}" for path, offset in files))

    def time(self, ms):
        return self.ask(f"time {ms}")


def new_peer(name, *rest):
    return (OneDnn if name.startswith("onednn") else Peer)(name, *rest)


class Ours:
    """The executable of a case's model, a fresh process a round."""

    def __init__(self, case, environment, threads, heddle):
        self.case, self.threads, self.heddle = case, threads, heddle
        self.folder = f"{environment.models}/{case.model.name}"
        self.executable, self.result = f"{self.folder}/ours", f"{self.folder}/{case.file()}/ours.npy"
        self.inputs = {name: f"{self.folder}/{case.file()}/{name}.npy" for name in [*case.inputs, *(["lengths"] if case.lengths else [])]}
        self.repeats = 1

    def build(self):
        """Unless this compiler, its runtime and this text made the executable that is there."""
        model, text = self.case.model, f"{ROOT}/{self.case.model.text}"
        runtime = os.path.join(os.path.dirname(self.heddle), "..", "lib", "libheddle-runtime.a")
        stamp = "\n".join(f"{os.path.realpath(path)} {os.stat(path).st_mtime_ns}" for path in (self.heddle, runtime, text) if os.path.exists(path))
        made = f"{self.executable}.made-by"
        if os.path.exists(self.executable) and os.path.exists(made):
            with open(made, encoding="utf-8") as file:
                if file.read() == stamp:
                    return
        if model.replaced:
            with open(text, encoding="utf-8") as file:
                words = file.read()
            for part, other in model.replaced:
                if part not in words:
                    raise RuntimeError(f"{model.text}: expected '{part}'")
                words = words.replace(part, other)
            text = f"{self.folder}/{os.path.basename(text)}"
            with open(text, "w", encoding="utf-8") as file:
                file.write(words)
        weights = self.folder if os.path.exists(f"{self.folder}/model.safetensors") else "seed:1"
        sets = [word for key, value in model.sizes.items() for word in ("--set", f"{key}={value if isinstance(value, int) else json.dumps(value)}")]
        subprocess.run([self.heddle, "build", text, "--weights", weights, *sets, "-o", self.executable], check=True, stderr=subprocess.DEVNULL)
        with open(made, "w", encoding="utf-8") as file:
            file.write(stamp)

    def command(self, *more):
        words = [self.executable, "run", self.case.entry, "-t", str(self.threads)]
        for name, path in self.inputs.items():
            words += ["--lengths", f"{next(iter(self.case.inputs))}={path}"] if name == "lengths" else ["--in", f"{name}={path}"]
        return [*words, "--out", f"result={self.result}", *more]

    def time(self, repeats):
        """(best, median) of so many runs, in ms."""
        process = start(self.command("--repeat", str(repeats)), self.threads, stderr=subprocess.PIPE)
        _, notes = process.communicate()
        found = re.search(r"time: best ([\d.]+) ms, median ([\d.]+) ms", notes)
        if process.returncode or not found:
            raise RuntimeError(f"{self.executable} failed: {notes}")
        return float(found[1]), float(found[2])

    def load(self, ms, fewest, most):
        """Builds, and finds how many repeats take about `ms`."""
        self.build()
        self.repeats = max(fewest, min(most, round(ms / self.time(2)[0])))


class Fresh:
    """A process from its start to its result; what Python takes to start and to import is not counted for a peer."""

    def __init__(self, name, command, environment, threads):
        self.name, self.words, self.variables, self.threads = name, command, environment.variables(threads), threads

    def time(self):
        begin = time.time()
        process = start(self.words, self.threads, stderr=subprocess.PIPE, env=self.variables)
        output, notes = process.communicate()
        end = time.time()
        if process.returncode:
            raise RuntimeError(f"{self.words[0]} failed: {notes[-400:]}")
        imported = re.search(r"^imported ([\d.]+)$", output, re.M)
        return (end - (float(imported[1]) if imported else begin)) * 1e3


def fresh_peer(name, case, ours, environment, threads):
    if name == "iree":  # has a program of its own
        found = subprocess.run([environment.python, "-c", "import iree._runtime_libs as found; print(found.__path__[0])"], stdout=subprocess.PIPE, text=True, check=True)
        folder, shape = f"{ours.folder}/{case.file()}", "x".join(map(str, case.inputs["tokens"]))
        command = [f"{found.stdout.strip()}/iree-run-module", f"--module={folder}/iree.vmfb", f"--parameters=model={folder}/iree.irpa", "--function=graph",
                   f"--device=local-{'sync' if threads == 1 else 'task'}", f"--input=@{ours.inputs['tokens']}", "--output=+/dev/null"]
        return Fresh(name, command, environment, threads)
    return Fresh(name, [environment.python, "-m", "peers.fresh", name, str(threads), ours.folder, ours.inputs["tokens"]], environment, threads)
