import { revalidatePath } from 'next/cache';

/** Every page is made again when it is next requested. */
export async function POST(request: Request): Promise<Response> {
  const secret = process.env.REVALIDATE_SECRET;
  if (!secret || request.headers.get('authorization') !== `Bearer ${secret}`) return new Response(null, { status: 401 });
  revalidatePath('/', 'layout');
  return new Response(null, { status: 204 });
}
