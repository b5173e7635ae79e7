#!/usr/bin/env python3
"""Ten thousand requests that nobody means well with, against `ki serve`.

usage: hostile.py KI [REQUESTS]

Fails when an answer is a 5xx, when the server ends, when it does not answer while slow clients hold
connections open, when it does not let go of them, or when its memory grows with the number of
requests. The seed is printed; the same one sends the same bytes.
"""

import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

GROWTH_KIB_MAX = 16 * 1024  # between the first fifth of the requests and the last
SLOW_CLIENTS = 200

PATHS = ["/", "/search", "/records", "/operations", "/runs", "/compare", "/mcp", "/metrics",
         "/api/v1/search", "/api/v1/runs", "/api/v1/records", "/api/v1/operations",
         "/api/v1/compare", "/api/v1/me", "/healthz", "/openapi.json", "/static/ki.css"]
TRICKS = ["/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/", "/./search", "//", "///search",
          "/api/v1/runs/%00", "/api/v1/runs/%ff%fe", "/api/v1/runs/..", "/search%", "/search%4",
          "/search?q=%c0%af", "/search?q=%ed%a0%80", "/search#x", "*", "search", "/\\..\\x",
          "http://[::1", "http://x/search", "/api/v1/operations/' OR 1=1 --", "/static/../ki.css",
          "/runs/<script>", "/api/v1/search?q=" + "%25" * 400, "/;/search", "/search?" + "&" * 200]
TEXTS = ["", "rope", "'\"><script>", "\x00", "\u202e", "a" * 500, "a" * 501, "seq:99999999999999999999",
         "tokens:1k..", "..", "dtype:" * 50, "(" * 200, "-" * 300, "\U0001f4a9" * 100, "%s%n%x", "NaN"]
BODIES = [b"", b"{", b"[]", b"null", b"[" * 900, b'{"runs":' + b"[" * 64, b"\xff\xfe", b"\x00" * 100,
          b'{"runs":["a","a"],"runs":[]}', b'{"runs":[' + b'"x",' * 2000 + b'"x"]}',
          b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search"}}',
          b'{"jsonrpc":"2.0","id":1e999,"method":"initialize"}']


def quote(text):
    return "".join("%%%02x" % byte for byte in text.encode("utf-8", "surrogatepass"))


def head(method, target, headers):
    lines = [f"{method} {target} HTTP/1.1", "Host: h", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def request(rng):
    """The bytes of one request."""
    kind = rng.randrange(12)
    path = rng.choice(PATHS)
    if kind == 0:
        return head("GET", rng.choice(TRICKS).replace(" ", "%20"), [])
    if kind == 1:
        name = rng.choice(["q", "limit", "cursor", "cohort", "offset", "nope", "status", "since"])
        return head("GET", f"{path}?{name}={quote(rng.choice(TEXTS))}", [])
    if kind == 2:  # headers that are too large or too many
        size = rng.choice([1000, 8000, 16_000, 17_000, 60_000])
        return head("GET", path, [("X-Large", "x" * size)])
    if kind == 3:
        return head("GET", path, [(f"X-{i}", "y") for i in range(rng.choice([50, 500, 3000]))])
    if kind == 4:
        body = rng.choice(BODIES)
        return head("POST", rng.choice(["/api/v1/compare", "/mcp"]),
                    [("Content-Type", "application/json"), ("Content-Length", len(body))]) + body
    if kind == 5:  # lengths that lie
        length = rng.choice(["-1", "1e3", "99999999999999999999", "0x10", "5, 6", "", "1048577"])
        return head("POST", "/api/v1/compare",
                    [("Content-Type", "application/json"), ("Content-Length", length)]) + b"{}"
    if kind == 6:
        chunk = rng.choice([b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\n\r\n", b"fffffffffffffffff\r\n",
                            b"2;x=" + b"y" * 20_000 + b"\r\n{}\r\n", b"-2\r\n{}\r\n"])
        return head("POST", "/api/v1/compare", [("Content-Type", "application/json"),
                                                ("Transfer-Encoding", "chunked")]) + chunk
    if kind == 7:
        accept = rng.choice(["gzip;q=", "zstd;q=9", "*;q=0", "gzip," * 2000, "gzip;q=1.0000000", "\xff"])
        return head("GET", path, [("Accept-Encoding", accept), ("If-None-Match", '"' * rng.randrange(99))])
    if kind == 8:
        secret = rng.choice(["Bearer ki_" + "a" * 32, "Bearer", "Bearer ki_", "Basic " + "=" * 999,
                             "Bearer ki_" + "\x7f" * 9, "bearer\tki_x"])
        return head("GET", rng.choice(PATHS + ["/api/v1/me"]), [("Authorization", secret)])
    if kind == 9:
        method = rng.choice(["get", "PUT", "DELETE", "TRACE", "CONNECT", "X" * 5000, "G\tT", "", "PRI"])
        return head(method, path, [])
    if kind == 10:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(1, 400))) + b"\r\n\r\n"
    text = head("GET", path, [])  # cut, or with one byte changed
    at = rng.randrange(len(text))
    return text[:at] if rng.random() < 0.5 else text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def ask(port, data):
    """The status of the answer; 0 when the connection ends without one."""
    with connect(port) as client:
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before all of it was sent; the answer may still be there
        answer = b""
        try:
            while len(answer) < 1 << 22:
                part = client.recv(1 << 16)
                if not part:
                    break
                answer += part
        except ConnectionResetError:
            pass
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found.group(1)) if found else 0


def memory_kib(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def connections(port):
    """Open now, without the one that asks."""
    with connect(port) as client:
        client.sendall(head("GET", "/metrics", []))
        text = b""
        while part := client.recv(1 << 16):
            text += part
    return int(re.search(rb"^ki_http_connections (\d+)", text, re.MULTILINE).group(1)) - 1


def settled(port, seconds):
    """Whether the server let go of its connections in time."""
    for _ in range(seconds * 2):
        if connections(port) == 0:
            return True
        time.sleep(0.5)
    return False


def attack(process, port, requests, rng):
    statuses = {}
    early = 0
    for i in range(requests):
        data = request(rng)
        status = ask(port, data)
        statuses[status] = statuses.get(status, 0) + 1
        if status >= 500:
            sys.exit(f"request {i} was answered {status}: {data[:300]!r}")
        if process.poll() is not None:
            sys.exit(f"the server ended with {process.returncode} after request {i}: {data[:300]!r}")
        if i == requests // 5:
            early = memory_kib(process)
    growth = memory_kib(process) - early
    print("statuses", dict(sorted(statuses.items())))
    print(f"memory {early} KiB after a fifth, {growth:+} KiB after all")
    if growth > GROWTH_KIB_MAX:
        sys.exit(f"memory grew by {growth} KiB")

    slow = [connect(port) for _ in range(SLOW_CLIENTS)]
    for i, client in enumerate(slow):
        client.sendall(b"GET / HTTP/1.1\r\nHost: h\r\nX-Slow: "[: 1 + i % 36])
    status = ask(port, head("GET", "/healthz", []))
    if status != 200:
        sys.exit(f"{SLOW_CLIENTS} slow clients, and /healthz answers {status}")
    if connections(port) < SLOW_CLIENTS // 2:
        sys.exit("the slow clients were not there to be dropped")
    if not settled(port, 30):
        sys.exit("the server keeps the connections of slow clients")
    print(f"{SLOW_CLIENTS} slow clients held open, others answered, all let go")
    for client in slow:
        client.close()


def main():
    ki = os.path.abspath(sys.argv[1])
    requests = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    seed = int(os.environ.get("KI_SEED", random.randrange(1 << 30)))
    print(f"KI_SEED={seed}")
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "ki.db")
        subprocess.run([ki, "--db", database, "-q", "import", "registry", "--publish"], check=True,
                       stdout=subprocess.DEVNULL)
        # A sanitizer keeps what is freed for a while, up to 256 MB: that is no growth of the server.
        environment = dict(os.environ)
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=8"
        with open(os.path.join(folder, "log"), "wb") as log, subprocess.Popen(
                [ki, "--db", database, "serve", "--port", "0", "--access-log",
                 os.path.join(folder, "access.jsonl")], stdout=subprocess.PIPE, stderr=log,
                env=environment) as process:
            try:
                port = int(re.search(rb":(\d+) ", process.stdout.readline()).group(1))
                attack(process, port, requests, random.Random(seed))
            finally:
                process.terminate()
        if process.returncode != 0:
            sys.exit(f"the server ended with {process.returncode}")


if __name__ == "__main__":
    main()
