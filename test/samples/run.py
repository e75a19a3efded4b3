"""Runs the programs of a folder, one after another in one process, and prints how each ended as a line of JSON."""

import contextlib
import io
import json
import pathlib
import runpy
import sys

for file in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    printed, error = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(file), run_name="__main__")
    except (Exception, SystemExit) as reason:
        error = repr(reason)
    print(json.dumps({"name": file.stem, "error": error, "printed": len(printed.getvalue())}), flush=True)
