"""The environment of the peers: fixed versions from PyPI in a folder of its own, and two programs compiled there. Nothing else of the machine is touched."""
import glob
import json
import os
import shutil
import subprocess
import sys

DEV = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(DEV))

# Peer -> its packages. What they need in turn, pip chooses. oneDNN comes twice: the newest is there for SYCL only, where a call costs 4 microseconds more.
PACKAGES = {"onednn": ["onednn-devel==2026.1.0"], "onednn-omp": ["onednn-devel-cpu-gomp==2023.2.0"], "ort": ["onnxruntime==1.32.0"], "openvino": ["openvino==2026.4.1"],
            "iree": ["iree-base-compiler==3.13.0", "iree-base-runtime==3.13.0"], "torch": ["torch==2.15.0"]}
NAMES = {"onednn": "oneDNN 3.13 (SYCL)", "onednn-omp": "oneDNN 3.2 (OpenMP)", "ort": "ONNX Runtime", "openvino": "OpenVINO", "iree": "IREE", "torch": "PyTorch"}
GRAPHS = ["onnx==1.23.2", "numpy==2.4.6"]  # what writes the graphs of all
APART = ["onednn-omp"]  # in a folder of their own, since names of their files are those of another's
INSTALLED = "import importlib.metadata, json, sys; print(json.dumps({one.name.lower(): one.version for one in importlib.metadata.distributions(**(dict(path=sys.argv[1:]) if sys.argv[1:] else {}))}))"


class Environment:
    def __init__(self, folder, peers):
        self.folder, self.peers, self.venv = folder, peers, f"{folder}/venv"
        self.python, self.models = f"{self.venv}/bin/python", f"{folder}/models"

    def prefix(self, peer):
        return f"{self.folder}/{peer}" if peer in APART else self.venv

    def missing(self):
        """(peer, package) of what is not there in the version wanted; the peer is empty for what all need."""
        wanted = [(peer, package) for peer in self.peers for package in PACKAGES[peer]] + [("", package) for package in GRAPHS]
        found = {prefix: self.installed(prefix) for prefix in {self.prefix(peer) for peer, _ in wanted}}
        return [(peer, package) for peer, package in wanted if found[self.prefix(peer)].get(package.split("==")[0]) != package.split("==")[1]]

    def installed(self, prefix):
        """name -> version."""
        if not os.access(self.python, os.X_OK):
            return {}
        folders = [] if prefix == self.venv else glob.glob(f"{prefix}/lib/python*/site-packages")
        if prefix != self.venv and not folders:
            return {}
        return json.loads(subprocess.run([self.python, "-c", INSTALLED, *folders], stdout=subprocess.PIPE, check=True).stdout)

    def set_up(self):
        """Installs what is missing. Returns problems; each names the peer."""
        if missing := self.missing():
            print(f"bench-peers: installing {', '.join(package for _, package in missing)} into {self.folder}", file=sys.stderr)
            if not os.access(self.python, os.X_OK) and subprocess.run([sys.executable, "-m", "venv", self.venv], check=False).returncode:
                return ["no environment: 'python3 -m venv' failed; Debian has it in the package python3-venv"]
            for prefix in sorted({self.prefix(peer) for peer, _ in missing}):
                packages = [package for peer, package in missing if self.prefix(peer) == prefix]
                place = [] if prefix == self.venv else ["--prefix", prefix]
                subprocess.run([f"{self.venv}/bin/pip", "install", "--quiet", "--disable-pip-version-check", *place, *packages], check=False)
        problems = [f"{NAMES[peer] + ' is missing' if peer else 'what writes graphs is missing'}: expected {package}" for peer, package in self.missing()]
        return problems or self.compile()

    def compile(self):
        """Our own program for the limits of the machine, and the workers of oneDNN."""
        programs = {"limits": ["-O3", f"-I{ROOT}", f"{ROOT}/test/bench/Limits.cpp", f"{ROOT}/compiler/support/Peak.cpp"]}
        for peer, others in (("onednn", ["-lsycl", "-ltbb"]), ("onednn-omp", [])):
            if peer in self.peers:
                libraries = f"{self.prefix(peer)}/lib"
                programs[peer + "-worker"] = ["-O2", f"{DEV}/peers/onednn-worker.cpp", f"-I{self.prefix(peer)}/include", f"-L{libraries}",
                                              f"-Wl,-rpath,{libraries}", f"-Wl,-rpath-link,{libraries}", "-ldnnl", *others]
        compiler = shutil.which("clang++-22") or "clang++"
        for name, flags in programs.items():
            if subprocess.run([compiler, "-std=c++20", "-pthread", *flags, "-o", f"{self.folder}/{name}"], check=False).returncode:
                return [f"{name} does not compile"]
        return []

    def versions(self):
        return {NAMES[peer]: PACKAGES[peer][0].split("==")[1] for peer in self.peers}

    def variables(self, threads):
        """For processes of peers, which find our modules through PYTHONPATH."""
        return os.environ | {"PYTHONPATH": DEV, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
