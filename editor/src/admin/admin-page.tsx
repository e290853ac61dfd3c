// What admins manage besides content. The rule: a token sees only the sections that the API allows to its role.
import { addressOf, type AdminSection } from "../routing/addresses";
import { Link } from "../routing/link";
import { isEditor, useSession } from "../session";
import { Page } from "../ui/page";
import { Empty, NotFound } from "../ui/states";
import { AuditLog } from "./audit-log";
import { Tokens } from "./tokens";
import { WebhookPage } from "./webhook-page";
import { Webhooks } from "./webhooks";
import "../styles/admin.css";

const SECTIONS: Record<AdminSection, { name: string; intro: string }> = {
  webhooks: { name: "Webhooks", intro: "Addresses that get each change of what is public, a second after it was made." },
  tokens: { name: "Tokens", intro: "Who has one can do what its role allows, in this editor and through the API." },
  "audit-log": { name: "Audit log", intro: "Who changed what, the newest first." },
};

export default function AdminPage({ section, id }: { section: string; id?: string | undefined }) {
  const { viewer } = useSession();
  if (!isSection(section) || (id !== undefined && section !== "webhooks")) return <NotFound what="page" />;
  const mine = (Object.keys(SECTIONS) as AdminSection[]).filter((name) => viewer?.role === "ADMIN" || (name === "audit-log" && isEditor(viewer)));
  const { name, intro } = SECTIONS[section];
  return (
    <Page title={name} intro={intro}>
      {mine.length > 1 ? (
        <nav className="tabs" aria-label="Administration">
          {mine.map((other) => (
            <Link key={other} to={addressOf.admin(other)}>
              {SECTIONS[other].name}
            </Link>
          ))}
        </nav>
      ) : null}
      {mine.includes(section) ? <Section section={section} id={id} /> : <Empty>This needs a token with a higher role.</Empty>}
    </Page>
  );
}

function Section({ section, id }: { section: AdminSection; id: string | undefined }) {
  switch (section) {
    case "webhooks":
      return id === undefined ? <Webhooks /> : <WebhookPage key={id} id={id} />;
    case "tokens":
      return <Tokens />;
    case "audit-log":
      return <AuditLog />;
  }
}

function isSection(name: string): name is AdminSection {
  return Object.hasOwn(SECTIONS, name);
}
