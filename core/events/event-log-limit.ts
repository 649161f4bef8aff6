/** How many events of a domain its log keeps, from the contract's list of events. */
export const eventLogLimit = 5_000
