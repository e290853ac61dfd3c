// The page that `tidings serve` shows at `/`. The schema and the examples' slugs are on their way before the editor is there.
import { createRoot } from "react-dom/client";
import "./workers.js";
import { Playground } from "./playground.jsx";
import { findSlugs, introspect } from "./server.js";

const [told, slugs] = await Promise.all([introspect(), findSlugs()]);
createRoot(document.getElementById("playground")).render(<Playground told={told} slugs={slugs} />);
