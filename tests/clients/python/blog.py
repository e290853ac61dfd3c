"""Reads the posts. The rule: a query is validated against the schema before it is sent."""

import os
from pathlib import Path

from gql import Client, gql
from gql.transport.httpx import HTTPXTransport

SCHEMA = Path(__file__).parents[3] / "schema.graphql"


def connect(token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    transport = HTTPXTransport(url=os.environ["TIDINGS_URL"], headers=headers)
    return Client(transport=transport, schema=SCHEMA.read_text())


def every_post(client, tag=None, page=20):
    query = gql(
        """
        query Posts($first: Int!, $after: String, $filter: PostFilter) {
          posts(first: $first, after: $after, filter: $filter) {
            nodes { slug title publishedAt }
            pageInfo { hasNextPage endCursor }
          }
        }
        """
    )
    query.variable_values = {"first": page, "filter": {"tags": {"all": [tag]}} if tag else None}
    while True:
        posts = client.execute(query)["posts"]
        yield from posts["nodes"]
        if not posts["pageInfo"]["hasNextPage"]:
            return
        query.variable_values = {**query.variable_values, "after": posts["pageInfo"]["endCursor"]}
