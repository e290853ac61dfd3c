"""Prints the syntax tree of a Bicep file as JSON, or fails with the line that is not Bicep."""

import json
import sys
from pathlib import Path

from pycep import BicepParser

print(json.dumps(BicepParser().parse(text=Path(sys.argv[1]).read_text(encoding="utf-8"))))
