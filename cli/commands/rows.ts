/** The most rows that a command collects before printing; a list has at most as many accounts as a domain may have. */
const most = 100_000

/** Returns the rows of all pages of a list, up to 100 000. */
export async function allRows<P, R>(pages: AsyncIterable<P>, rowsOf: (page: P) => readonly R[]): Promise<readonly R[]> {
  const rows: R[] = []
  for await (const page of pages) {
    rows.push(...rowsOf(page))
    if (rows.length >= most) break
  }
  return rows
}

/**
 * Returns the entries of a list in the order of the API: members that are numbers stand first in an object, ascending.
 */
export function inOrder<R>({
  data,
  order,
}: {
  data: Readonly<Record<string, R>>
  order: readonly string[]
}): readonly R[] {
  return order.flatMap((id) => data[id] ?? [])
}

/** Returns the first rows of a list, as many as asked for. */
export async function firstRows<P, R>(
  pages: AsyncIterable<P>,
  rowsOf: (page: P) => readonly R[],
  count: number,
): Promise<readonly R[]> {
  const rows: R[] = []
  for await (const page of pages) {
    rows.push(...rowsOf(page))
    if (rows.length >= count) break
  }
  return rows.slice(0, count)
}
