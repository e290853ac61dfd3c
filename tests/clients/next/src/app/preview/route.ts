import { cookies, draftMode } from 'next/headers';
import { redirect } from 'next/navigation';
import { ask, graphql } from '../../lib/tidings';

const Preview = graphql(`
  query Preview($token: String!) {
    preview(token: $token) { ... on Post { slug } }
  }
`);

/** `/preview?token=…` shows this browser the draft of a preview link. */
export async function GET(request: Request): Promise<Response> {
  const token = new URL(request.url).searchParams.get('token') ?? '';
  const found = await ask(Preview, { token }, token).catch(() => null);
  if (!found?.preview || !('slug' in found.preview)) return new Response('This link is not valid any more.', { status: 401 });
  (await draftMode()).enable();
  (await cookies()).set('preview', token, { httpOnly: true, secure: true, sameSite: 'lax', path: '/' });
  redirect(`/posts/${found.preview.slug}`);
}
