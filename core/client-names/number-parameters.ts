/** Parameters of a domain that say how its country writes numbers, with the values that they have by default. */
export const numberParameters = {
  country: 'country-code',
  international: 'international-prefix',
  national: 'national-prefix',
} as const
