import { hmacSha256 } from '../../adapters/crypto/hook-digests.ts'
import { dynamoEventLog } from '../../adapters/dynamodb/events/dynamo-event-log.ts'
import { patternRest } from '../../adapters/regex/linear-pattern.ts'
import * as routes from '../../contracts/routes/hook-lab.ts'
import { dryRunHook } from '../../core/hooks/lab/dry-run-hook.ts'
import { endpoint, okData } from '../endpoint.ts'
import { hookJudges } from './hook-judges.ts'

const usualLimit = 20

export const handler = endpoint(
  routes.dryRunHook,
  { eventLog: dynamoEventLog },
  async ({ domain, query, body, clock, settings }, { eventLog }) => {
    const tools = { eventLog, clock, hmac: hmacSha256, judges: hookJudges(settings), rest: patternRest }
    return okData(await dryRunHook(tools, domain, body, query.limit ?? usualLimit))
  },
)
