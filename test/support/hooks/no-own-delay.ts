import type { OwnDelay } from '../../../core/hooks/attempt/own-delay.ts'

/** A process that is never late. */
export const noOwnDelay: Pick<OwnDelay, 'begin'> = { begin: () => ({ soFar: () => 0, end: () => 0 }) }
