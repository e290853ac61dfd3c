// Monaco's workers, each a module of this server.
import EditorWorker from "monaco-editor/esm/vs/editor/editor.worker.js?worker";
import JsonWorker from "monaco-editor/esm/vs/language/json/json.worker.js?worker";
import GraphqlWorker from "monaco-graphql/esm/graphql.worker.js?worker";

const WORKERS = { graphql: GraphqlWorker, json: JsonWorker };

globalThis.MonacoEnvironment = { getWorker: (_id, label) => new (WORKERS[label] ?? EditorWorker)() };
