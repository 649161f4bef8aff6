import * as routes from '../../contracts/routes/gateways.ts'
import { applyGateway } from '../../core/gateways/apply-gateway.ts'
import { createGateway } from '../../core/gateways/create-gateway.ts'
import { presentGateway } from '../../core/gateways/present-gateway.ts'
import { endpoint, okData, reply } from '../endpoint.ts'
import { orderContext } from './order-context.ts'
import { writeContext, writePorts } from './write-context.ts'

export const handler = endpoint(routes.createGateway, writePorts, async (request, ports) => {
  const { domain, body } = request
  const creation = { ...ports, ...(await writeContext(request, ports)) }
  const record = await createGateway(creation, { domain, name: body.name }, body)
  await applyGateway(ports.engine, record, orderContext(request))
  return reply(okData(presentGateway(record)), { record })
})
