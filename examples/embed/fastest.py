"""Which implementation is fastest for one exact case? The same as fastest.c, through ctypes.

  cmake --build --preset release --target kernelindex   # as tools/quickstart does
  python3 examples/embed/fastest.py build/release/libkernelindex.so answers.kisnap OPERATION HARDWARE PASS AXIS=VALUE...

"" stands for any hardware or pass. As a module: Snapshot(library, path).resolve(...).
"""

import ctypes
import math
import sys


class Axis(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class Case(ctypes.Structure):
    _fields_ = [
        ("operation", ctypes.c_char_p),
        ("dtype", ctypes.c_char_p),
        ("hardware", ctypes.c_char_p),
        ("pass_", ctypes.c_char_p),
        ("axes", ctypes.POINTER(Axis)),
        ("axes_count", ctypes.c_size_t),
    ]


class Policy(ctypes.Structure):
    _fields_ = [
        ("minimum_evidence", ctypes.c_int32),
        ("source_required", ctypes.c_int32),
        ("installable_required", ctypes.c_int32),
        ("deployable_required", ctypes.c_int32),
    ]


class Answer(ctypes.Structure):
    _fields_ = [
        ("comparison_key", ctypes.c_char_p),
        ("hardware", ctypes.c_char_p),
        ("metric", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("statistic", ctypes.c_char_p),
        ("verdict", ctypes.c_char_p),
        ("candidates_count", ctypes.c_size_t),
        ("best", ctypes.c_size_t),
        ("handle", ctypes.c_uint32),
    ]


class Candidate(ctypes.Structure):
    _fields_ = [
        ("implementation", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("project", ctypes.c_char_p),
        ("run", ctypes.c_char_p),
        ("language", ctypes.c_char_p),
        ("framework", ctypes.c_char_p),
        ("install", ctypes.c_char_p),
        ("license", ctypes.c_char_p),
        ("value", ctypes.c_double),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("rank", ctypes.c_int32),
        ("shares_rank", ctypes.c_int32),
        ("evidence", ctypes.c_int32),
        ("source_available", ctypes.c_int32),
        ("deployable", ctypes.c_int32),
    ]


def as_dict(structure):
    """The fields of a structure, texts decoded, unknown bounds as None."""
    values = {}
    for name, _ in structure._fields_:
        value = getattr(structure, name)
        if isinstance(value, bytes):
            value = value.decode()
        if isinstance(value, float) and math.isnan(value):
            value = None
        values[name] = value
    return values


class Snapshot:
    ABI_VERSION = 1

    def __init__(self, library, path):
        self._library = ctypes.CDLL(library)
        self._library.ki_abi_version.restype = ctypes.c_uint32
        if self._library.ki_abi_version() != self.ABI_VERSION:
            raise RuntimeError("this module is for another version of the library")
        self._library.ki_snapshot_close.argtypes = [ctypes.c_void_p]
        self._handle = ctypes.c_void_p()
        message = ctypes.create_string_buffer(256)
        status = self._library.ki_snapshot_open(
            path.encode(), ctypes.byref(self._handle), message, ctypes.c_size_t(len(message))
        )
        if status != 0:
            raise OSError(message.value.decode())

    def close(self):
        self._library.ki_snapshot_close(self._handle)
        self._handle = None

    def resolve(self, operation, axes, dtype="", hardware="", pass_="", **policy):
        """(answer, candidates), or None when the snapshot has no such case."""
        given = (Axis * len(axes))(*[Axis(name.encode(), value) for name, value in axes.items()])
        wanted = Case(
            operation.encode(), dtype.encode(), hardware.encode(), pass_.encode(), given, len(axes)
        )
        answer = Answer()
        status = self._library.ki_resolve(
            self._handle, ctypes.byref(wanted), ctypes.byref(Policy(**policy)), ctypes.byref(answer)
        )
        if status == 1:
            return None
        if status != 0:
            raise ValueError("no such question")
        candidates = []
        for i in range(answer.candidates_count):
            one = Candidate()
            status = self._library.ki_candidate_at(
                self._handle, ctypes.byref(answer), ctypes.c_size_t(i), ctypes.byref(one)
            )
            if status != 0:
                raise RuntimeError("a candidate is missing")
            candidates.append(as_dict(one))
        return as_dict(answer), candidates


def main(arguments):
    if len(arguments) < 5:
        print(__doc__, file=sys.stderr)
        return 2
    library, path, operation, hardware, pass_ = arguments[:5]
    axes = {}
    for axis in arguments[5:]:
        name, _, value = axis.partition("=")
        axes[name] = int(value)
    snapshot = Snapshot(library, path)
    found = snapshot.resolve(operation, axes, hardware=hardware, pass_=pass_)
    if found is None:
        print("not in this snapshot", file=sys.stderr)
        return 1
    answer, candidates = found
    print(f"{answer['statistic']} {answer['metric']} on {answer['hardware']}: {answer['verdict']}")
    for i, one in enumerate(candidates):
        mark = "*" if i == answer["best"] else " "
        line = f"{mark} {one['rank']} {one['implementation']} {one['value']:.17g} {answer['unit']}"
        if one["low"] is not None:
            line += f" ({one['low']:.17g} to {one['high']:.17g})"
        print(line + (" deployable" if one["deployable"] else ""), one["run"])
    snapshot.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
