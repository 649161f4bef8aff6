import { type ContextValue, type Rule, oneOf, readBy, wholeNumber } from './setting.ts'
import { searchNode } from './search-nodes.ts'

// The settings of the store of CDRs, from the file of a stage.

const nodeCountWords = '1, or a multiple of 2 or 3 up to 80'

const nodeCount: Rule<number> = readBy((text) => {
  const count = Number(text)
  const isSpread = count === 1 || count % 2 === 0 || count % 3 === 0
  if (!/^[1-9]\d?$/.test(text) || count > 80 || !isSpread) throw new Error(`must be ${nodeCountWords}`)
  return count
}, nodeCountWords)

const nodeTypeWords = 'an instance type that takes gp3 disks, such as t3.small.search or r7g.large.search'

const nodeType: Rule<string> = readBy((type) => {
  if (searchNode(type) === undefined) throw new Error(`must be ${nodeTypeWords}`)
  return type
}, nodeTypeWords)

export const searchInstanceType = {
  context: 'searchInstanceType',
  rule: () => nodeType,
  fallback: 't3.small.search',
  meaning: 'the instance type of the nodes that store CDRs',
} as const satisfies ContextValue

export const searchInstances = {
  context: 'searchInstances',
  rule: () => nodeCount,
  fallback: '2',
  meaning:
    'the number of those nodes, up to 80: 1; a multiple of 3, in three zones; or another even number, in two. From 4 on, three dedicated managers are added. Two nodes lose no CDR with a zone, but searches may stop until the service has replaced one; three go on',
} as const satisfies ContextValue

export const searchVolumeGb = {
  context: 'searchVolumeGb',
  rule: () => wholeNumber(10, 3000),
  fallback: '20',
  meaning: 'the disk of each of those nodes in GiB: 10 to 3000',
} as const satisfies ContextValue

export const searchAccess = {
  context: 'searchAccess',
  rule: () => oneOf('public', 'vpc'),
  fallback: 'public',
  meaning:
    '`public`: the store of CDRs has a public address and answers only signed requests of this account; `vpc`: it is in a network without a route to the internet, which the functions that search join. Choose it before the first deployment: a change [makes a new, empty store](deploy.md#the-store-of-cdrs-in-a-vpc)',
} as const satisfies ContextValue
