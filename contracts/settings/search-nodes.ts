/** The limits of the search service for one instance type. */
export interface SearchNode {
  /** GiB of the smallest and of the largest gp3 disk. */
  readonly leastGb: number
  readonly mostGb: number
  readonly leastNodes: number
  readonly mostNodes: number
}

/** The sizes of a family from `from` on, which all grow in the same steps, with the GiB of their largest disk. */
function sizesFrom(from: string, mostGb: readonly number[]): Readonly<Record<string, number>> {
  const names = ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge']
  return Object.fromEntries(mostGb.map((most, index) => [names[names.indexOf(from) + index] ?? '', most]))
}

const general = [768, 2048, 3072, 6144, 12_288, 18_432, 24_576]
const compute = [256, 512, 1024, 1536, 3072, 4608, 6144]
const memory = [1536, 3072, 6144, 12_288, 16_384, 24_576, 36_864]
const optimized = [768, 1532, 3072, 6144, 12_288, 16_384, 24_576, 32_768]

/**
 * GiB of the largest gp3 disk, by family and size:
 * https://docs.aws.amazon.com/opensearch-service/latest/developerguide/limits.html
 */
const families: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  t3: { small: 100, medium: 200 },
  m5: { large: 1024, xlarge: 2048, '2xlarge': 3072, '4xlarge': 6144, '12xlarge': 18_432 },
  m6g: sizesFrom('large', [1024, 2048, 3072, 6144, 12_288, 18_432]),
  m7g: sizesFrom('medium', [512, ...general]),
  m7i: sizesFrom('large', general),
  m8g: sizesFrom('medium', [512, ...general]),
  c5: { large: 256, xlarge: 512, '2xlarge': 1024, '4xlarge': 1536, '9xlarge': 3584, '18xlarge': 7168 },
  c6g: sizesFrom('large', compute.slice(0, -1)),
  c7g: sizesFrom('large', compute),
  c7i: sizesFrom('large', compute),
  c8g: sizesFrom('large', compute),
  r5: { large: 2048, xlarge: 3072, '2xlarge': 6144, '4xlarge': 12_288, '12xlarge': 24_576 },
  r6g: sizesFrom('large', [2048, 3072, 6144, 12_288, 16_384, 24_576]),
  r7g: sizesFrom('medium', [768, ...memory]),
  r7i: sizesFrom('large', memory),
  // The service documents 1532 and not 1536 GiB for this one.
  r8g: sizesFrom('medium', [768, 1532, ...memory.slice(1)]),
  or1: sizesFrom('medium', optimized),
  or2: sizesFrom('medium', optimized),
  om2: sizesFrom('large', general),
}

/** Families that keep copies of their data in S3. They have disks of 20 GiB at least, and cannot manage a domain. */
const storedInObjects = new Set(['or1', 'or2', 'om2'])

/** Returns what the service offers with an instance type such as `t3.small.search`, or nothing for an unknown type. */
export function searchNode(type: string): SearchNode | undefined {
  const [family = '', size = '', suffix, ...rest] = type.split('.')
  const sizes = Object.hasOwn(families, family) ? families[family] : undefined
  const mostGb = sizes !== undefined && Object.hasOwn(sizes, size) ? sizes[size] : undefined
  if (mostGb === undefined || suffix !== 'search' || rest.length > 0) return undefined
  return {
    leastGb: storedInObjects.has(family) ? 20 : 10,
    mostGb,
    // Fewer nodes manage themselves, which these cannot.
    leastNodes: storedInObjects.has(family) ? leastManaged : 1,
    // More than 80 nodes need a higher quota of the account.
    mostNodes: family === 't3' ? 10 : 80,
  }
}

/** The nodes from which on a domain has three others that manage it. */
export const leastManaged = 4

/**
 * Returns the instance type of the nodes that manage this number of data nodes, by the memory that the service
 * recommends:
 * https://docs.aws.amazon.com/opensearch-service/latest/developerguide/managedomains-dedicatedmasternodes.html
 */
export function managerOf(type: string, instances: number): string {
  if (type.startsWith('t3.')) return type
  return instances <= 30 ? 'm7g.large.search' : instances <= 60 ? 'm7g.xlarge.search' : 'm7g.2xlarge.search'
}
