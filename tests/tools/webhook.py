"""Verifies a webhook with the reference library: the secret is the argument, `{ headers, body }` the standard input. Prints the type of the message."""

import json
import sys

from standardwebhooks import Webhook

sent = json.load(sys.stdin)
print(Webhook(sys.argv[1]).verify(sent["body"], sent["headers"])["type"])
