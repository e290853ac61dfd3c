import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { SessionProvider } from "./session";
import "./styles/index.css";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no element with the id app");
createRoot(root).render(
  <StrictMode>
    <SessionProvider>
      <App />
    </SessionProvider>
  </StrictMode>,
);
