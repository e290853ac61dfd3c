// Light, dark, or as the system has it. GraphiQL keeps the choice, and its classes on the body colour our parts too.
import { useGraphiQL, useGraphiQLActions } from "@graphiql/react";

export function ThemeChoice() {
  const theme = useGraphiQL((state) => state.theme);
  const { setTheme } = useGraphiQLActions();
  return (
    <label className="control">
      <span className="visually-hidden">Colours</span>
      <select title="Colours: light, dark, or as your system has it" value={theme ?? ""} onChange={(event) => setTheme(event.target.value || null)}>
        <option value="">Auto</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
