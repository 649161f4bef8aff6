/** What a dropped event is counted as: see {@link dropClassOf}. */
export type DropClass = 1 | 2 | 3

/** Every class. */
export const dropClasses: readonly DropClass[] = [3, 2, 1]

/** The events that end a call or a recording: without them a call never ends for its followers. */
const terminal: ReadonlySet<string> = new Set(['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY', 'RECORD_STOP'])

/**
 * Returns the class of an event, by its name as hooks write it (`CUSTOM->svc::…`) and the uuid of its call: 1 says that
 * something is over, 2 is of a call or the platform's own word, 3 is the rest.
 */
export function dropClassOf({ name, uuid }: { readonly name: string; readonly uuid: string }): DropClass {
  if (terminal.has(name)) return 1
  return uuid !== '' || name.startsWith('CUSTOM->svc::') ? 2 : 3
}
