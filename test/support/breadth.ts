/**
 * Returns how much of a broad proof runs here: `part` in `npm test`, `all` in `npm run test:full`, which also runs each
 * file that asks.
 */
export function breadth<T>(part: T, all: T): T {
  return process.env['TEST_BREADTH'] === 'all' ? all : part
}

/**
 * Returns every one of some cases in `npm run test:full`, and each n-th of them, beginning with number `first`, in
 * `npm test`.
 */
export function eachNth<T>(cases: readonly T[], n: number, first = 0): readonly T[] {
  const step = breadth(n, 1)
  return cases.filter((_, index) => index % step === first % step)
}
