// One of two texts, with marks on what only this one has; or both in one.
import { type Stretch, shortened } from "./differences";

export function Marked({ stretches, side }: { stretches: Stretch[]; side: "theirs" | "mine" | "all" }) {
  return (
    <div className={`marked ${side}`} tabIndex={side === "all" ? 0 : undefined} role={side === "all" ? "group" : undefined} aria-label={side === "all" ? "Differences" : undefined}>
      {stretches.map((stretch, place) => {
        if (stretch.in === "both") return <span key={place}>{shortened(stretch.text)}</span>;
        if (side === "all") return stretch.in === "theirs" ? <del key={place}>{stretch.text}</del> : <ins key={place}>{stretch.text}</ins>;
        return stretch.in === side ? <mark key={place}>{stretch.text}</mark> : null;
      })}
    </div>
  );
}
