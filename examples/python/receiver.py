#!/usr/bin/env python3
"""Receives webhooks: verifies each, handles each event once and in its order, and reads from the feed what did not arrive.

API=https://… TOKEN=… SECRET=whsec_… python3 receiver.py 3000 receiver.state
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API, TOKEN = os.environ["API"].rstrip("/"), os.environ["TOKEN"]
KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in os.environ["SECRET"].split(" ")]
TOLERANCE_SECONDS = 300


class NotVerified(Exception):
    """The request is no webhook of ours, and why."""


def verified(headers, body):
    """The event, if the request was signed with one of our secrets and is not old. The body is as it came, in bytes."""
    sent_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    content = f"{sent_id}.{timestamp}.".encode() + body
    expected = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()) for key in KEYS]
    signatures = [each[3:].encode() for each in headers.get("webhook-signature", "").split(" ") if each[:3] == "v1,"]
    # Compared in a time that tells nothing of how much of a signature is right.
    if not any(hmac.compare_digest(one, other) for one in signatures for other in expected):
        raise NotVerified("no signature is right")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise NotVerified("the request is old, or a clock is wrong")
    return json.loads(body)


def call(path):
    request = urllib.request.Request(f"{API}{path}", headers={"authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


class Position:
    """The last event that was handled; without an id, the number to begin after. In an application it stands in the database,
    in the transaction of what an event does."""

    def __init__(self, file):
        self.file, self.lock = file, threading.Lock()
        try:
            with open(file, encoding="ascii") as kept:
                state = json.load(kept)
                self.last, self.id = state["sequence"], state["id"]
        except FileNotFoundError:
            # A new receiver begins with what happens from now on, also where it is stopped before the first event arrives.
            self.keep(call("/v1/ext/event-feed")["_data"]["latest"], None)

    def keep(self, sequence, event_id):
        self.last, self.id = sequence, event_id
        with open(self.file, "w", encoding="ascii") as kept:
            json.dump({"sequence": sequence, "id": event_id}, kept)

    def handle_once(self, event):
        with self.lock:
            if event["sequence"] <= self.last:
                if self.is_in_log():
                    print(f"seen before: {event['id']}", flush=True)
                    return
                print(f"the log was restored to before event {self.last}, and goes on from there", flush=True)
                self.keep(event["sequence"] - 1, None)
            self.catch_up(event["sequence"])

    def is_in_log(self):
        """After a restore of a backup the log is shorter, or has other events under the same numbers."""
        if self.id is None:
            return True
        try:
            found = call(f"/v1/ext/event?after={self.last - 1}&limit=1")["_data"]
            return bool(found) and found[0]["id"] == self.id
        except urllib.error.HTTPError as error:
            # 410: it was so long ago that the log does not have it any more. 400: there is no such event yet.
            if error.code in (400, 410):
                return error.code == 410
            raise

    def catch_up(self, sequence):
        """What lies between the last event and this one was filtered out, was lost here, or is still on its way. The feed
        has it all."""
        while self.last < sequence:
            page = call(f"/v1/ext/event?after={self.last}")
            following = page["_meta"]["next"]
            if following <= self.last:
                # It was sent before a restore, and has not happened since.
                return
            for each in page["_data"]:
                print(f"{each['sequence']} {each['type']}", flush=True)
                self.keep(each["sequence"], each["id"])
            if following > self.last:
                self.keep(following, None)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            event = verified(self.headers, body)
            # A test has no number: nothing has happened.
            if event["sequence"] is not None:
                position.handle_once(event)
            status = 204
        except NotVerified as error:
            print(error, file=sys.stderr)
            status = 400
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: receiver.py <port> <file of its state>")
    position = Position(sys.argv[2])
    server = ThreadingHTTPServer(("", int(sys.argv[1])), Receiver)
    print(f"listening, after event {position.last}", file=sys.stderr, flush=True)
    server.serve_forever()
