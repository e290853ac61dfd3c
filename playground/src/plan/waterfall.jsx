// The waterfall: a row for each request or group of requests, a band for each round trip, the time from left to right. The rule: a bar is where the time axis
// puts it, and an item of a tree with the same figures as text.
import { memo, useCallback, useMemo, useState } from "react";
import { count, duration, shortKey } from "./format.js";
import { kindOf, tableOf } from "./kinds.js";
import { extentOf, groupsOf, timeline } from "./layout.js";
import { choose, ofGroup, point, useChosen, usePointing } from "./pointing.js";
import { onTreeFocus, onTreeKey } from "./tree-keys.js";

/** With at most this many requests, the groups are open at first. */
const OPEN_MAX = 32;

export function Waterfall({ requests }) {
  const axis = useMemo(() => timeline(requests), [requests]);
  const groups = useMemo(() => groupsOf(requests), [requests]);
  const [open, setOpen] = useState(() => new Set(requests.length <= OPEN_MAX ? groups.map(({ key }) => key) : []));
  const lit = usePointing().requests;
  const chosen = useChosen()?.subject;

  const toggle = useCallback((key, isOpen) => setOpen((before) => new Set([...before].filter((one) => one !== key).concat(isOpen ? [key] : []))), []);
  const pick = useCallback((group) => choose(ofGroup(group)), []);
  const rows = useMemo(() => groups.flatMap((group) => rowsOf(group, open)), [groups, open]);
  return (
    <div className={lit.size > 0 ? "waterfall is-pointing" : "waterfall"} onMouseLeave={() => point(null)}>
      <Axis axis={axis} />
      <div
        className="waterfall-rows"
        role="tree"
        aria-label="Storage requests in order of their start"
        onKeyDown={(event) => onTreeKey(event, (item, isOpen) => toggle(item.dataset.key, isOpen))}
        onFocus={onTreeFocus}
        onBlur={() => point(null)}
      >
        <Bands axis={axis} />
        {rows.map(({ group, level, isOpen }, index) => (
          <Row
            key={group.key}
            {...{ group, level, isOpen, axis, toggle, pick }}
            isFirst={index === 0}
            isLit={group.members.some(({ id }) => lit.has(id))}
            isChosen={chosen?.key === group.key}
          />
        ))}
      </div>
      {!axis.isToScale && <p className="plan-hint">To scale within a round trip only; the times above are exact.</p>}
    </div>
  );
}

/** The row of a group, and those of its requests if it is open. */
function rowsOf(group, open) {
  if (group.members.length === 1) return [{ group, level: 1 }];
  const isOpen = open.has(group.key);
  const below = group.members.map((one) => ({ group: alone(one, group), level: 2 }));
  return [{ group, level: 1, isOpen }, ...(isOpen ? below : [])];
}

const alone = (one, { key, ...group }) => ({ ...group, ...one, key: `${key}/${one.id}`, members: [one] });

function Axis({ axis: { bands, ticks } }) {
  return (
    <div className="waterfall-axis" aria-hidden="true">
      <div className="waterfall-trips">
        <span className="waterfall-corner">Round trip</span>
        <div className="waterfall-track">
          {bands.map(({ trip, left, width }) => (
            <b key={trip} style={{ left: `${left * 100}%`, width: `${width * 100}%` }}>
              {trip}
            </b>
          ))}
        </div>
      </div>
      <div className="waterfall-times">
        <span className="waterfall-corner">Time</span>
        <div className="waterfall-track">
          {ticks.map(({ left, time }, index) => (
            <span key={left} className={index === ticks.length - 1 ? "is-last" : undefined} style={{ left: `${left * 100}%` }}>
              {time === 0 ? "0" : duration(time)}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

function Bands({ axis: { bands } }) {
  return (
    <div className="waterfall-bands" role="presentation">
      {bands.map(({ trip, left, width }) => (
        <i key={trip} style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />
      ))}
    </div>
  );
}

const Row = memo(function Row({ group, level, isOpen, axis, toggle, pick, isFirst, isLit, isChosen }) {
  const { name } = kindOf(group);
  const pointed = () => point(ofGroup(group));
  const isGroup = isOpen !== undefined;
  return (
    <div
      className={`waterfall-row is-level-${level}${isLit ? " is-lit" : ""}${isChosen ? " is-chosen" : ""}`}
      role="treeitem"
      aria-level={level}
      aria-expanded={isOpen}
      aria-selected={isChosen}
      tabIndex={isFirst ? 0 : -1}
      data-key={group.key}
      data-requests={isGroup ? undefined : 1}
      onMouseEnter={pointed}
      onFocus={pointed}
      onClick={({ currentTarget }) => {
        pick(group);
        // The words about it are at the foot of the panel, and must not cover it.
        currentTarget.scrollIntoView({ block: "nearest" });
      }}
    >
      <span className="waterfall-label">
        {isGroup ? <Toggle isOpen={isOpen} toggle={() => toggle(group.key, !isOpen)} /> : <i className={`plan-key is-${name}`} />}
        {level === 1 && <b>{tableOf(group)}</b>}
        <span>{isGroup ? `× ${count(group.members.length)}` : keysOf(group.members[0])}</span>
        <span className="visually-hidden">{textOf(group)}</span>
      </span>
      <span className="waterfall-lane">
        <i className={`bar is-${name}${isGroup ? " is-group" : ""}`} style={extentOf(group, axis)} />
      </span>
    </div>
  );
});

/** For the mouse only: the keyboard has the keys of a tree. */
function Toggle({ isOpen, toggle }) {
  function onClick(event) {
    event.stopPropagation();
    toggle();
  }
  return (
    <svg className={isOpen ? "waterfall-toggle is-open" : "waterfall-toggle"} viewBox="0 0 12 12" aria-hidden="true" onClick={onClick}>
      <path d="M4 2l4 4-4 4" />
    </svg>
  );
}

/** The keys of a request, short; of a range, only the partition. */
function keysOf({ partitionKey, rowKey }) {
  if (partitionKey === "*") return "";
  if (rowKey !== undefined) return `${shortKey(partitionKey)} / ${shortKey(rowKey)}`;
  return shortKey(partitionKey);
}

/** What the row shows by colour and place, for screen readers. */
function textOf({ start, duration: took, roundTrip, ...group }) {
  const time = took === null ? "not answered" : `takes ${duration(took)}`;
  return `, ${kindOf(group).label.toLowerCase()}, round trip ${roundTrip}, starts at ${duration(start)}, ${time}`;
}
