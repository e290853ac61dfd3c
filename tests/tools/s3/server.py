"""Starts moto's S3 on a port that the system chooses, with the bucket `pictures` and one access key, and prints them.

moto computes the signature of every request with AWS's own library and compares it, so a request that is signed wrongly is refused as by S3. The rule: it
ends with the process that started it, however that process ends, because it runs only as long as its standard input is open.
"""

import json
import os
import sys

# boto3 is the client of the few requests below. It must not use an account of the user who runs the tests.
for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]
os.environ.update(AWS_ACCESS_KEY_ID="setup", AWS_SECRET_ACCESS_KEY="setup", AWS_DEFAULT_REGION="us-east-1")

from urllib.parse import parse_qsl, quote, urlencode  # noqa: E402

import boto3  # noqa: E402
import requests  # noqa: E402
from moto.iam.access_control import S3IAMRequest  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402
from werkzeug import serving  # noqa: E402


def with_encoded_query(create_request):
    """moto compares the signature with a query that it has decoded, so it refuses every slash in a query, also of AWS's own client."""

    def create(request):
        path, mark, query = request._path.partition("?")
        request._path = path + mark + urlencode(parse_qsl(query, keep_blank_values=True), quote_via=quote, safe="")
        return create_request(request)

    return create


S3IAMRequest._create_aws_request = with_encoded_query(S3IAMRequest._create_aws_request)

EVERYTHING = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}

# The lines of the log without colours.
serving._log_add_style = False
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
_, port = server.get_host_and_port()
endpoint = f"http://127.0.0.1:{port}"
boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket="pictures")
iam = boto3.client("iam", endpoint_url=endpoint)
iam.create_user(UserName="tidings")
iam.put_user_policy(UserName="tidings", PolicyName="everything", PolicyDocument=json.dumps(EVERYTHING))
key = iam.create_access_key(UserName="tidings")["AccessKey"]
# From now on, every request must be signed with that key.
requests.post(f"{endpoint}/moto-api/reset-auth", data="0", timeout=10).raise_for_status()
print(f"Access key {key['AccessKeyId']} {key['SecretAccessKey']}", flush=True)
# moto writes a line for each request to the standard error, which is the same file.
print(f"Listening on port {port}", flush=True)
sys.stdin.read()
os._exit(0)
