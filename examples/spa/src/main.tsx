import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Provider } from "urql";
import { App } from "./app";
import { makeClient } from "./graphql/client";
import "./styles/index.css";

const root = document.getElementById("app");
if (!root) throw new Error("index.html has no element with the id app");
createRoot(root).render(
  <StrictMode>
    <Provider value={makeClient(null)}>
      <App />
    </Provider>
  </StrictMode>,
);
