/** Limits that keep the record of a delivery small enough for an item of the store (400 KB), at 2 KB an attempt. */
export const deliveryLimits = {
  /** Attempts other than those that advance a delivery are listed up to so many in all. */
  attempts: 60,
  /** With so many attempts on its list a delivery is not opened again. */
  reopened: 40,
  /** Runs that begin and come to no end; with so many a delivery fails. */
  runs: 20,
} as const
