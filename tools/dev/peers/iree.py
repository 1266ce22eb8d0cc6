"""IREE: the graph is imported, compiled for this CPU, and kept with its parameters in files of its own."""
import os
import subprocess
import sys

import iree.runtime as runtime

from peers import graphs

PROGRAMS = os.path.dirname(sys.executable)


def compiled(case, folder):
    """The module's file and that of its parameters; made once."""
    name = os.path.join(folder, case.file(), "iree")
    if not os.path.exists(name + ".vmfb"):
        graphs.write(case, folder, f"{folder}/iree.onnx")
        import_command = [f"{PROGRAMS}/iree-import-onnx", f"{folder}/iree.onnx", "-o", name + ".mlir", "--externalize-params", "--save-params-to", name + ".irpa"]
        compile_command = [f"{PROGRAMS}/iree-compile", name + ".mlir", "-o", name + ".new", "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host",
                           "--iree-opt-level=O3", "--iree-llvmcpu-stack-allocation-limit=262144"]
        for command in (import_command, compile_command):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{os.path.basename(command[0])}: {done.stdout[-300:]}")
        os.rename(name + ".new", name + ".vmfb")
    return name + ".vmfb", name + ".irpa"


def build(case, folder, threads, found):
    module, parameters = compiled(case, folder)
    if threads > 1:
        runtime.flags.parse_flags(f"--task_topology_cpu_ids={','.join(map(str, sorted(os.sched_getaffinity(0))))}")
    config = runtime.Config("local-sync" if threads == 1 else "local-task")
    context = runtime.SystemContext(config=config)
    modules = []
    if os.path.exists(parameters):
        index = runtime.ParameterIndex()
        index.load(parameters)
        modules.append(runtime.create_io_parameters_module(config.vm_instance, index.create_provider("model")))
    context.add_vm_modules(modules + [runtime.VmModule.mmap(config.vm_instance, module)])
    function = context.modules.module.graph
    fed = [runtime.asdevicearray(config.device, values) for values in graphs.feeds(case, found).values()]
    return lambda: function(*fed).to_host()
