// A site that declares fields: each has the input of its type, and the server's refusal is shown beside them. The server has tests/it/front/editor.graphql.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, hasNoViolation, idOf, isNotWider, onServer, save, signIn, text } from "./setup.js";

test("declared fields have inputs of their types, are checked by the server, and are kept in the metadata", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.goto("/editor/new");
    await page.getByLabel("Title", { exact: true }).fill("A book on dunes");
    await text(page).fill("It begins with sand.");
    const fields = page.getByRole("group", { name: "Fields of this site" });
    await fields.getByLabel("place").fill("The dunes");
    await fields.getByLabel("rating").fill("good");
    await save(page).click();
    await fields.getByText(/^Rating must be a whole number/).waitFor();
    await fields.getByLabel("rating").fill("7");
    await fields.getByLabel("price").fill("1.50");
    assert.equal(await fields.getByLabel("price").inputValue(), "1.50", "what is typed stays");
    await fields.getByRole("group", { name: "formats" }).getByLabel("PAPER").check();
    await fields.getByLabel("mood").selectOption("CALM");
    await fields.getByLabel("sold").selectOption("No");
    await fields.getByLabel("read").fill("2026-01-15T12:30");
    await fields.getByLabel("words").fill("sand\nwind\n");
    await fields.getByRole("group", { name: "publisher" }).getByLabel("name (required)").fill("The Press");
    await hasNoViolation(page, "declared fields");
    await page.setViewportSize({ width: 360, height: 740 });
    await isNotWider(page, "declared fields");
    await save(page).click();
    await page.getByText("Saved as a draft.").waitFor();
    const query = "query ($id: ID!) { node(id: $id) { ... on Post { fields { place rating price formats mood sold read words publisher { name } } } } }";
    const { node } = await ask(query, { id: idOf(page) });
    const expected = { place: "The dunes", rating: 7, price: 1.5, formats: ["PAPER"], mood: "CALM", sold: false, read: "2026-01-15T12:30:00.000Z", words: ["sand", "wind"], publisher: { name: "The Press" } };
    assert.deepEqual(node.fields, expected);
    await fields.getByLabel("place").fill("");
    await fields.getByLabel("sold").selectOption("Not set");
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    const { fields: left } = (await ask(query, { id: idOf(page) })).node;
    assert.deepEqual([left.place, left.sold, left.rating], [null, null, 7]);
  }, { timezoneId: "UTC" }));
