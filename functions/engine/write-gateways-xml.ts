import { revisionVariable } from '../../core/gateways/gateway.ts'
import type { ServedGateway } from '../../core/gateways/serve-gateways.ts'
import { notFound, writeEngineXml } from './engine-xml.ts'

/**
 * Writes the answer to an engine that asks for gateways: a domain with one user for each domain, because the engine
 * looks for gateways only below users.
 */
export function writeGatewaysXml(gateways: readonly ServedGateway[]): string {
  if (gateways.length === 0) return writeEngineXml(notFound)
  const byDomain = Map.groupBy(gateways, ({ domain }) => domain)
  const domain = [...byDomain].map(([name, own]) => ({
    '@name': name,
    user: { '@id': 'gateways', gateways: { gateway: own.map(gatewayElement) } },
  }))
  return writeEngineXml({ '@name': 'directory', domain })
}

function gatewayElement({ name, revision, parameters, variables }: ServedGateway): object {
  const named = Object.entries(variables).map(([variable, value]) => ({
    '@name': variable,
    '@value': value,
    '@direction': 'outbound',
  }))
  const kept = { '@name': revisionVariable, '@value': revision, '@direction': 'inbound' }
  return {
    '@name': name,
    param: Object.entries(parameters).map(([parameter, value]) => ({ '@name': parameter, '@value': value })),
    variables: { variable: [...named, kept] },
  }
}
