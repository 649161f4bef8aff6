/**
 * Returns how long a function that works through many things may begin further ones: two thirds of its time. The last
 * third is left for the one under way.
 */
export function workTimeMs({ timeoutSeconds }: { readonly timeoutSeconds: number }): number {
  return Math.floor((timeoutSeconds * 1000 * 2) / 3)
}
