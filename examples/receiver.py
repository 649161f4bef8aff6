"""Receives the deliveries of a hook: SECRET=whsec_… PORT=9000 python3 examples/receiver.py"""

import base64
import hashlib
import hmac
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "")
MOST_BYTES = 1024 * 1024
MOST_IDS = 10_000
seen: dict[str, None] = {}
lock = threading.Lock()


def is_genuine(secret: str, headers, body: bytes) -> bool:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("an empty key signs for anybody")
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isdecimal() and len(timestamp) <= 15 and abs(time.time() - int(timestamp)) <= 300):
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(signature, expected) for signature in given)


def is_new(delivery: str) -> bool:
    """Remembers an id; returns whether it is a new one. The oldest is forgotten."""
    with lock:
        if delivery in seen:
            return False
        seen[delivery] = None
        if len(seen) > MOST_IDS:
            seen.pop(next(iter(seen)))
        return True


def shown(text: str) -> str:
    """Names of callers come from strangers: nothing of them acts on the terminal."""
    return "".join(each if " " <= each <= "~" else ascii(each)[1:-1] for each in text)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not (length.isdecimal() and len(length) <= 15 and int(length) <= MOST_BYTES):
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(SECRET, self.headers, body):
            return self.answer(401)
        line = shown(body.decode(errors="replace"))
        if is_new(self.headers["webhook-id"]):
            print(line, flush=True)
        self.answer(204)

    def answer(self, status: int):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


try:
    is_genuine(SECRET, {}, b"")
except ValueError:
    sys.exit("SECRET must be the secret of a hook: whsec_ and base64")
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print(f"receiving on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
