/**
 * Returns a value of a variable as it must stand in a list of variables for the engine, which is split at commas. Each
 * time that the engine splits a text, it takes a level of backslashes and all quotes away; so an apostrophe stays one
 * only behind as many backslashes as there are to come. The text must have no backslashes of its own. `apostrophe` is
 * how one is written there.
 */
export function escapeForEngine(value: string, backslashes: number, apostrophe = "'"): string {
  const written = '\\'.repeat(backslashes) + apostrophe
  return value.replaceAll("'", () => written).replaceAll(',', String.raw`\,`)
}
