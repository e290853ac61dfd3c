// The keys of a tree (WAI-ARIA Authoring Practices, "Tree View Pattern"). The rule: one item of a tree is in the order of the tab key, the one that had the
// focus last.

const ITEMS = '[role="treeitem"]';

/** For `onKeyDown` of the tree. `toggle(item, isOpen)` opens or closes an item that has `aria-expanded`. */
export function onTreeKey(event, toggle) {
  const items = [...event.currentTarget.querySelectorAll(ITEMS)];
  const at = items.indexOf(event.target.closest(ITEMS));
  if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  const item = items[at];
  const expanded = item.getAttribute("aria-expanded");
  const level = Number(item.getAttribute("aria-level"));
  const parent = items.findLast((one, index) => index < at && Number(one.getAttribute("aria-level")) < level);
  const focus = (index) => items[Math.max(0, Math.min(items.length - 1, index))].focus();
  const actions = {
    ArrowDown: () => focus(at + 1),
    ArrowUp: () => focus(at - 1),
    Home: () => focus(0),
    End: () => focus(items.length - 1),
    ArrowRight: () => (expanded === "false" ? toggle(item, true) : expanded === "true" && focus(at + 1)),
    ArrowLeft: () => (expanded === "true" ? toggle(item, false) : parent?.focus()),
    Enter: () => item.click(),
    " ": () => item.click(),
  };
  if (!(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
}

/** For `onFocus` of the tree: the item that has the focus becomes the one that the tab key reaches. */
export function onTreeFocus(event) {
  for (const item of event.currentTarget.querySelectorAll(ITEMS)) item.tabIndex = item === event.target ? 0 : -1;
}
