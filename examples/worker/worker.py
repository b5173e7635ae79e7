#!/usr/bin/env python3
"""A worker for `ki bench --exec`: kernels that live in Python, timed here by their own clock.

    ki bench rms-norm --dtype fp32 --axes rows=64,hidden=256 --exec 'python3 worker.py'

One file that needs nothing but Python 3.8. Where torch can be imported, its kernels are offered too,
on CUDA (timed by CUDA events) where torch has it. To add a kernel of your own, write a function that
takes the case and the inputs and returns the outputs, and name it in kernels_for(). What is said
over standard input and output is docs/formats/worker.md; print to standard error only.
"""

import array
import json
import sys
import time

try:
    import torch
except ImportError:
    torch = None

FORMAT = "kernelindex.dev/worker/1"


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


# ---- plain Python: slow, and there so that the protocol can be tried anywhere


class Plain:
    """fp32 tensors as flat arrays, the host's clock."""

    clock = "host_monotonic"

    def load(self, tensor, path):
        if tensor["dtype"] != "fp32":
            raise ValueError("plain Python computes in fp32 only")
        values = array.array("f")
        with open(path, "rb") as file:
            values.frombytes(file.read())
        return values

    def store(self, value, path):
        with open(path, "wb") as file:
            file.write(array.array("f", value).tobytes())

    def time(self, call, count):
        begin = time.perf_counter_ns()
        for _ in range(count):
            result = call()
        return time.perf_counter_ns() - begin, result


def plain_rms_norm(case, inputs):
    x, weight = inputs
    width = case["axes"]["hidden"]
    eps = case["scalars"].get("eps", 1e-6)
    out = array.array("f")
    for start in range(0, len(x), width):
        row = x[start : start + width]
        scale = (sum(v * v for v in row) / width + eps) ** -0.5
        out.extend(v * scale * w for v, w in zip(row, weight))
    return [out]


# ---- torch, where it is


class Torch:
    """Tensors of torch on `device`."""

    def __init__(self, device):
        self.device = device
        self.clock = "cuda_events" if device == "cuda" else "host_monotonic"

    def about(self):
        """The device, as the environment of the runs states it."""
        properties = torch.cuda.get_device_properties(0)
        return {
            "vendor": "nvidia",
            "product": properties.name,
            "architecture": "sm_%d%d" % (properties.major, properties.minor),
            "memoryBytes": properties.total_memory,
            "cudaToolkit": torch.version.cuda,
        }

    def dtype(self, name):
        return {"fp32": torch.float32, "bf16": torch.bfloat16}[name]

    def load(self, tensor, path):
        with open(path, "rb") as file:
            data = bytearray(file.read())
        flat = torch.frombuffer(data, dtype=self.dtype(tensor["dtype"]))
        return flat.reshape(tensor["shape"]).to(self.device)

    def store(self, value, path):
        value = value.detach().contiguous().cpu()
        with open(path, "wb") as file:
            file.write(value.view(torch.uint8).numpy().tobytes())

    def time(self, call, count):
        if self.clock == "host_monotonic":
            return Plain.time(self, call, count)
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            result = call()
        end.record()
        end.synchronize()
        return max(1, round(begin.elapsed_time(end) * 1e6)), result


def torch_rms_norm(case, inputs):
    x, weight = inputs
    eps = case["scalars"].get("eps", 1e-6)
    wide = x.float()
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)
    return [(wide * scale * weight.float()).to(x.dtype)]


def torch_softmax(case, inputs):
    return [torch.softmax(inputs[0].float(), -1).to(inputs[0].dtype)]


# ---- which kernels are there for a case


def kernels_for(case):
    """A list of (description, backend, function)."""
    found = []
    what = (case["operation"], case["pass"])
    if what == ("rms-norm", "forward") and case["dtype"] == "fp32":
        about = {"provider": "python", "language": "python", "version": sys.version.split()[0]}
        found.append((about, Plain(), plain_rms_norm))
    if torch is not None and case["dtype"] in ("fp32", "bf16"):
        functions = {
            ("rms-norm", "forward"): torch_rms_norm,
            ("softmax", "forward"): torch_softmax,
        }
        if what in functions:
            device = "cuda" if torch.cuda.is_available() else "cpu"
            torch.set_num_threads(case["threads"])
            about = {
                "provider": "torch",
                "variant": "eager",
                "language": "python",
                "version": torch.__version__,
            }
            found.append((about, Torch(device), functions[what]))
    # One clock times a session.
    clock = found[-1][1].clock if found else ""
    return [one for one in found if one[1].clock == clock]


class Worker:
    def begin(self, message):
        if message["format"] != FORMAT:
            return say(say="refused", why="this worker speaks " + FORMAT)
        self.case = message["case"]
        self.kernels = kernels_for(self.case)
        if not self.kernels:
            return say(say="refused", why="this worker has no kernel for the case")
        self.loaded = {}
        self.last = None
        backend = self.kernels[0][1]
        device = {"device": backend.about()} if backend.clock == "cuda_events" else {}
        say(
            say="kernels",
            kernels=[about for about, _, _ in self.kernels],
            clock=backend.clock,
            **device
        )

    def call(self, kernel, variant):
        """The function of a kernel over the inputs of a variant, which are read once."""
        _, backend, function = self.kernels[kernel]
        key = (kernel, variant)
        if key not in self.loaded:
            self.loaded[key] = [
                backend.load(tensor, tensor["files"][variant]) for tensor in self.case["inputs"]
            ]
        inputs = self.loaded[key]
        return backend, lambda: function(self.case, inputs)

    def check(self, message):
        backend, call = self.call(message["kernel"], message["variant"])
        self.store(backend, call())

    def block(self, message):
        backend, call = self.call(message["kernel"], message["variant"])
        count = 1
        while True:
            elapsed, result = backend.time(call, count)
            if elapsed >= message["minNs"]:
                break
            count = min(1000000, max(count + 1, int(count * 1.2 * message["minNs"] / elapsed)))
        self.last = (backend, result)
        say(say="block", calls=count, ns=elapsed)

    def show(self, message):
        self.store(*self.last)

    def store(self, backend, outputs):
        for value, tensor in zip(outputs, self.case["outputs"]):
            backend.store(value, tensor["files"][0])
        say(say="done")


def main():
    worker = Worker()
    for line in sys.stdin:
        message = json.loads(line)
        try:
            getattr(worker, message["ask"])(message)
        except Exception as error:  # said to the host, which ends the kernel's run
            say(say="failed", why="%s: %s" % (type(error).__name__, error))


if __name__ == "__main__":
    main()
