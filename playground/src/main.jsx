// The page that `tidings serve` shows at `/`. The requests for the schema and the examples' slugs are sent before the editor is loaded.
import { createRoot } from "react-dom/client";
import "./workers.js";
import { Playground } from "./playground.jsx";
import { LANDING } from "./examples.js";
import { findSlugs, introspect, makeBoundExact } from "./server.js";

const [introspection, slugs] = await Promise.all([introspect(), findSlugs()]);
if (slugs.reportsPlans) await makeBoundExact(LANDING);
createRoot(document.getElementById("playground")).render(<Playground introspection={introspection} slugs={slugs} />);

// A server without an editor answers 404.
const editor = await fetch("/editor", { method: "HEAD" });
document.getElementById("editor-link").hidden = !editor.ok;
