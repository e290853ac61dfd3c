// One of two texts, with marks on what only this one has.
import { type Stretch, shortened } from "./differences";

export function Marked({ stretches, side }: { stretches: Stretch[]; side: "theirs" | "mine" }) {
  return (
    <div className={`marked ${side}`}>
      {stretches.map((stretch, place) => {
        if (stretch.in === "both") return <span key={place}>{shortened(stretch.text)}</span>;
        return stretch.in === side ? <mark key={place}>{stretch.text}</mark> : null;
      })}
    </div>
  );
}
