/** The paths that were revalidated. */
export const revalidated: [string, string | undefined][] = [];

export function revalidatePath(path: string, type?: 'page' | 'layout'): void {
  revalidated.push([path, type]);
}
