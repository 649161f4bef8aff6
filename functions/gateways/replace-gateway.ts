import * as routes from '../../contracts/routes/gateways.ts'
import { applyGateway } from '../../core/gateways/apply-gateway.ts'
import { replaceGateway } from '../../core/gateways/change-gateway.ts'
import { presentGateway } from '../../core/gateways/present-gateway.ts'
import { endpoint, okData, reply } from '../endpoint.ts'
import { orderContext } from './order-context.ts'
import { writeContext, writePorts } from './write-context.ts'

export const handler = endpoint(routes.replaceGateway, writePorts, async (request, ports) => {
  const { domain, params, body, precondition } = request
  const change = { ...ports, ...(await writeContext(request, ports)), precondition }
  const record = await replaceGateway(change, { domain, name: params.gateway_name }, body)
  await applyGateway(ports.engine, record, orderContext(request))
  return reply(okData(presentGateway(record)), { record })
})
