// Light, dark, or the system's choice. GraphiQL stores the choice, and its classes on the body also set the colours of our parts.
import { useGraphiQL, useGraphiQLActions } from "@graphiql/react";

export function ThemeChoice() {
  const theme = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  return (
    <label className="control">
      <span className="visually-hidden">Colours</span>
      <select title="Colours: light, dark, or the choice of your system" value={theme ?? ""} onChange={(event) => setTheme(event.target.value || null)}>
        <option value="">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
