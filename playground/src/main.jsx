// The page that `tidings serve` shows at `/`. The requests for the schema and the examples' slugs are sent before the editor is loaded.
import { createRoot } from "react-dom/client";
import "./workers.js";
import { Playground } from "./playground.jsx";
import { findSlugs, introspect } from "./server.js";

const [introspection, slugs] = await Promise.all([introspect(), findSlugs()]);
createRoot(document.getElementById("playground")).render(<Playground introspection={introspection} slugs={slugs} />);
