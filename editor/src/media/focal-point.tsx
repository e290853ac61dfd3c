// The point of a picture that stays visible when it is cropped: set by a click, by dragging, or by the arrow keys.
import type { KeyboardEvent, PointerEvent } from "react";

export interface Point {
  x: number;
  y: number;
}

export const MIDDLE: Point = { x: 50, y: 50 };

/** For `object-position`. */
export function positionOf(point: Point | null | undefined): string | undefined {
  return point ? `${point.x}% ${point.y}%` : undefined;
}

const KEYS: Record<string, Point> = { ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 } };

interface Props {
  src: string;
  width: number;
  height: number;
  point: Point;
  onChange: (point: Point) => void;
}

export function FocalPoint({ src, width, height, point, onChange }: Props) {
  const { x, y } = point;
  const set = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
    const frame = currentTarget.getBoundingClientRect();
    onChange({ x: inPercent((clientX - frame.left) / frame.width), y: inPercent((clientY - frame.top) / frame.height) });
  };
  const byKey = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (!step) return;
    event.preventDefault();
    const far = event.shiftKey ? 10 : 1;
    onChange({ x: inPercent((x + step.x * far) / 100), y: inPercent((y + step.y * far) / 100) });
  };
  return (
    <div
      className="focal"
      style={{ aspectRatio: `${width} / ${height}` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        event.currentTarget.querySelector("button")?.focus();
        event.preventDefault();
        set(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) set(event);
      }}
    >
      <img src={src} alt="" draggable={false} />
      <button
        type="button"
        role="slider"
        aria-label="Focal point"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={x}
        aria-valuetext={`${x} % from the left, ${y} % from the top`}
        style={{ left: `${x}%`, top: `${y}%` }}
        onKeyDown={byKey}
      />
    </div>
  );
}

function inPercent(part: number): number {
  return Math.min(100, Math.max(0, Math.round(part * 100)));
}
