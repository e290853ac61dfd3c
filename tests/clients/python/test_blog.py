"""The tests of blog.py against the server that TIDINGS_URL names: python -m unittest."""

import os
import unittest
from datetime import datetime

from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.httpx import HTTPXTransport
from graphql import GraphQLError, build_schema, lexicographic_sort_schema, print_schema

from blog import SCHEMA, connect, every_post

WRONG = gql("{ posts(first: 1) { nodes { headline } } }")


class Blog(unittest.TestCase):
    def test_pages_by_cursor_give_every_post_once_and_newest_first(self):
        posts = list(every_post(connect(), page=5))
        self.assertEqual(len({post["slug"] for post in posts}), 24)
        self.assertEqual(len(posts), 24)
        dates = [datetime.fromisoformat(post["publishedAt"]) for post in posts]
        self.assertEqual(dates, sorted(dates, reverse=True))

    def test_variables_choose_the_posts(self):
        slugs = [post["slug"] for post in every_post(connect(), tag="eclipses", page=3)]
        self.assertEqual(len(slugs), 4)
        self.assertIn("copper-moon-at-breakfast", slugs)

    def test_a_query_is_validated_against_the_schema_file_before_it_is_sent(self):
        with self.assertRaisesRegex(GraphQLError, "Cannot query field 'headline' on type 'Post'"):
            connect().execute(WRONG)

    def test_a_query_is_validated_against_the_introspected_schema_which_equals_the_file(self):
        transport = HTTPXTransport(url=os.environ["TIDINGS_URL"])
        options = {"specified_by_url": True, "input_value_deprecation": True}
        client = Client(transport=transport, fetch_schema_from_transport=True, introspection_args=options)
        with client as session:
            with self.assertRaisesRegex(GraphQLError, "Cannot query field 'headline' on type 'Post'"):
                session.execute(WRONG)
        file = build_schema(SCHEMA.read_text())
        printed = [print_schema(lexicographic_sort_schema(schema)) for schema in (client.schema, file)]
        self.assertEqual(*printed)

    def test_an_error_has_its_code(self):
        with self.assertRaises(TransportQueryError) as raised:
            list(every_post(connect(), page=101))
        self.assertEqual(raised.exception.errors[0]["extensions"]["code"], "BAD_USER_INPUT")

    def test_a_token_allows_mutations_and_user_errors_name_the_invalid_field(self):
        create = gql(
            """
            mutation Create($input: CreatePostInput!) {
              createPost(input: $input) {
                post { id status }
                userErrors { code field message }
              }
            }
            """
        )
        client = connect(os.environ["TIDINGS_TOKEN"])
        create.variable_values = {"input": {"title": "By Python", "markdown": "Text."}}
        made = client.execute(create)["createPost"]
        self.assertEqual((made["post"]["status"], made["userErrors"]), ("DRAFT", []))
        create.variable_values = {"input": {"title": "", "markdown": "Text."}}
        refused = client.execute(create)["createPost"]
        self.assertIsNone(refused["post"])
        self.assertEqual([error["field"] for error in refused["userErrors"]], [["input", "title"]])


if __name__ == "__main__":
    unittest.main()
