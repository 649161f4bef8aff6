import type { updateDomainParameters, updateDomainVariables } from '../../contracts/routes/domains.ts'
import type { SettingKind } from '../../core/domains/domain-settings.ts'
import { type UpdateDomainPorts, updateDomain } from '../../core/domains/update-domain.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { okInfo, reply } from '../endpoint.ts'
import type { EndpointRequest } from '../endpoint/use-case.ts'

type SettingsRequest = EndpointRequest<typeof updateDomainParameters> | EndpointRequest<typeof updateDomainVariables>

/** Returns the use case that changes settings of a domain: its parameters or its variables. */
export function changeSettings(kind: SettingKind) {
  return async (
    { caller, domain, body, precondition, requestId, clock, log, settings }: SettingsRequest,
    ports: UpdateDomainPorts,
  ) => {
    const reportUnsent = (what: string, error: unknown) => log.error('change made but not published', error, { what })
    const view = { now: clock.now(), clientVariables: clientVariablesOf(settings) }
    const change = {
      name: domain,
      kind,
      items: body,
      isRoot: caller.domain === null,
      precondition,
      requestId,
      reportUnsent,
      ...view,
    }
    const { detail, record } = await updateDomain(ports, change)
    return reply(okInfo(detail), { record })
  }
}
