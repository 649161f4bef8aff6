import type { Gateway } from './gateway.ts'

/** Rises whenever {@link serveGateways} writes something else for the same gateway, so engines get the new form. */
const servedForm = 2

/**
 * The variable under which an engine keeps the revision of each gateway. The engine answers it when it is asked
 * (`sofia_gateway_data`), and gives it to calls that come from the gateway.
 */
export const revisionVariable = 'svc_gateway_revision'

/** The form of a revision. */
export const revisionPattern = /^\d{1,4}-\d{1,16}-\d{1,16}$/

/**
 * Returns the revision of a gateway that engines have: another one after each write, and after it was deleted and made
 * again. It says nothing about the content.
 */
export function gatewayRevision({ createdAt, version }: Pick<Gateway, 'createdAt' | 'version'>): string {
  return `${servedForm}-${createdAt}-${version}`
}
