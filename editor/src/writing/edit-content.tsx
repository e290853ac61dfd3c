import { EditedQuery } from "../page-documents";
import { useOnce } from "../graphql/use-once";
import { FailedView, Loading, NotFound } from "../ui/states";
import { ContentEditor } from "./content-editor";
import { kindOf } from "./values";

export default function EditContent({ id }: { id: string }) {
  const { data, error, again } = useOnce(EditedQuery, { id });
  if (error && !data?.node) return <FailedView error={error} onRetry={again} />;
  if (!data) return <Loading what="the text" />;
  const content = data.node;
  if (!content || !("body" in content)) return <NotFound what="text" />;
  return <ContentEditor kind={kindOf(content)} content={content} start={{}} />;
}
