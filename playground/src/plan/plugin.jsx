// The plan as a plugin of GraphiQL: its icon is in the side bar, and its panel beside the editor.
import { PlanPanel } from "./panel.jsx";

function PlanIcon({ title = "plan icon", titleId, ...props }) {
  return (
    <svg height="1em" viewBox="0 0 14 14" fill="none" xmlns="http://www.w3.org/2000/svg" stroke="currentColor" strokeWidth="1.05" strokeLinecap="round" {...props}>
      <title id={titleId}>{title}</title>
      <path d="M0.6 0.6V13.4" />
      <rect x="2.8" y="1.4" width="5" height="2.4" rx="0.6" />
      <rect x="5.2" y="5.8" width="5.4" height="2.4" rx="0.6" />
      <rect x="8.4" y="10.2" width="5" height="2.4" rx="0.6" />
    </svg>
  );
}

export const PLAN_PLUGIN = { title: "Plan", icon: PlanIcon, content: PlanPanel };
