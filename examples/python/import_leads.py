#!/usr/bin/env python3
"""Imports a CSV file of leads as a background job, and writes the failed rows to a file for another try.

API=https://… TOKEN=… python3 import_leads.py leads.csv
"""

import csv
import hashlib
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request

API, TOKEN = os.environ["API"].rstrip("/"), os.environ["TOKEN"]
TRIES_MAX = 5
NUMBERS = {"score"}


class Refused(Exception):
    """The API refused a call, and says why."""


def reason_of(error):
    """What the API says; where something before it has answered, such as a proxy, the status."""
    try:
        return "; ".join(json.load(error)["_errors"])
    except (ValueError, LookupError, TypeError):
        return f"status {error.code}"


def call(method, path, body=None, key=None):
    """One call, tried again where that is safe: all tries of a change have the same idempotency key."""
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    if key is not None:
        headers["idempotency-key"] = key
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, TRIES_MAX + 1):
        request = urllib.request.Request(f"{API}{path}", data, headers, method=method)
        wait = 2**attempt / 4 * random.uniform(0.5, 1)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            # 429 and 503 say when to come again. What may have been done by a 502 or 504, the key keeps from being done twice.
            if error.code not in (429, 502, 503, 504) or attempt == TRIES_MAX:
                raise Refused(reason_of(error)) from None
            wait = max(wait, float(error.headers.get("retry-after", 0)))
        except OSError:
            if attempt == TRIES_MAX:
                raise
        time.sleep(wait)


def item_of(row):
    """What is created for a row. An empty cell is no value; a number that is none is left to the API, which says so."""
    data = {name: value for name, value in row.items() if value not in ("", None) and not name.startswith("_")}
    for name in NUMBERS & data.keys():
        try:
            data[name] = int(data[name])
        except ValueError:
            pass
    record = {"data": {"phone_number": data["phone_number"]}} if "phone_number" in data else None
    return {"data": data, **({"record": record} if record else {})}


def results_of(job):
    """The failed entries of a job, page by page."""
    for status in ("ERROR", "INVALID"):
        path = f"/v1/ext/background-job/{job}/entries?completionStatus={status}&limit=100"
        while path:
            answer, _ = call("GET", path)
            yield from answer["_data"]
            path = answer["_meta"]["next"]


def main(file):
    with open(file, newline="", encoding="utf-8-sig") as source:
        rows = list(csv.DictReader(source))
    for number, row in enumerate(rows, 2):
        if None in row:
            raise Refused(f"line {number} has more cells than the header")
    items = [item_of(row) for row in rows]
    # The same file is the same import: running this twice makes one job.
    key = "import-" + hashlib.sha256(json.dumps(items, sort_keys=True).encode()).hexdigest()[:40]
    answer, _ = call("POST", "/v1/ext/procedure/lead/process/bulk-create", items, key)
    job = answer["_data"]["id"]
    while True:
        answer, headers = call("GET", f"/v1/ext/background-job/{job}")
        counts = answer["_meta"]["bjEntryCompletionStatusVsCount"]
        if counts["NOT_STARTED"] + counts["IN_PROGRESS"] == 0:
            break
        time.sleep(float(headers.get("retry-after", 1)))
    print(f"{counts['SUCCESS']} of {len(rows)} imported, job {job}")
    failed = sorted(results_of(job), key=lambda entry: entry["index"])
    if not failed:
        return 0
    names = [name for name in rows[0] if name != "_error"]
    mended = os.path.splitext(file)[0] + ".failed.csv"
    with open(mended, "w", newline="", encoding="utf-8") as target:
        writer = csv.DictWriter(target, [*names, "_error"], extrasaction="ignore")
        writer.writeheader()
        for entry in failed:
            row = rows[entry["index"]]
            print(f"line {entry['index'] + 2}, {row['lead_id']}: {entry['completionMessage']}")
            writer.writerow({**row, "_error": entry["completionMessage"]})
    print(f"correct them in {mended}, and import that file")
    return 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: import_leads.py <file.csv>")
    try:
        sys.exit(main(sys.argv[1]))
    except Refused as refusal:
        sys.exit(f"refused: {refusal}")
