import * as z from 'zod/mini'
import { type Account, codeOf, iamRegion } from './account.ts'

/** Returns the quota that applies, or the one of every new account while none was applied. */
export async function quotaOf(account: Account, service: string, code: string): Promise<number> {
  const input = { ServiceCode: service, QuotaCode: code }
  const ask = (operation: string) =>
    account.json('servicequotas', `ServiceQuotasV20190624.${operation}`, input, placeOf(service))
  const answer = await ask('GetServiceQuota').catch((error: unknown) => {
    if (codeOf(error) !== 'NoSuchResourceException') throw error
    return ask('GetAWSDefaultServiceQuota')
  })
  return z.parse(z.object({ Quota: z.object({ Value: z.number() }) }), answer).Quota.Value
}

/** Returns the command that asks for a higher quota. */
export function raise(service: string, code: string, value: number): string {
  const quota = `--service-code ${service} --quota-code ${code} --desired-value ${value}`
  const region = placeOf(service)
  return `aws service-quotas request-service-quota-increase ${quota}${region === undefined ? '' : ` --region ${region}`}`
}

const placeOf = (service: string) => (service === 'iam' ? iamRegion : undefined)
