import { afterAll, expect, it } from 'vitest'
import { synthesize, usualApp } from './synthesized-app.ts'

const settings = {
  engineHost: 'fs1.example.internal,10.20.1.11',
  engineNetwork: '10.20.0.0/16',
  connectorNetwork: '10.90.0.0/24',
  engineVpc: {
    id: 'vpc-0a1b2c3d',
    routeTables: ['rtb-0a1b2c3d', 'rtb-1a1b2c3d'],
    addresses: { 'fs1.example.internal': '10.20.1.10' },
  },
}
const synthesized = synthesize({ settings })
const { assembly } = synthesized
afterAll(() => synthesized[Symbol.dispose]())

const peering = assembly.one('AWS::EC2::VPCPeeringConnection', 'EnginePeering')
const vpc = assembly.one('AWS::EC2::VPC', 'NetworkVpc')
const routesBy = (made: typeof assembly) =>
  made.ofType('AWS::EC2::Route').filter(({ Properties }) => 'VpcPeeringConnectionId' in Properties)

it("the connector's network is peered with the VPC of the setting", () => {
  expect(peering.Properties).toMatchObject({ PeerVpcId: 'vpc-0a1b2c3d' })
  expect(assembly.resolve(peering.stack, peering.Properties['VpcId'])).toBe(`${vpc.stack.name}/${vpc.id}`)
})

it('each subnet of connectors has a route to the engines, and each route table of the engines one back', () => {
  const routes = routesBy(assembly).map(({ stack, Properties }) => [
    assembly.resolve(stack, Properties['RouteTableId']),
    Properties['DestinationCidrBlock'],
    assembly.resolve(stack, Properties['VpcPeeringConnectionId']),
  ])
  const own = assembly.ofType('AWS::EC2::RouteTable').map(({ stack, id }) => `${stack.name}/${id}`)
  const through = `${peering.stack.name}/${peering.id}`

  expect(own).toHaveLength(2)
  expect(new Set(routes)).toEqual(
    new Set([
      ...own.map((table) => [table, '10.20.0.0/16', through]),
      ['rtb-0a1b2c3d', '10.90.0.0/24', through],
      ['rtb-1a1b2c3d', '10.90.0.0/24', through],
    ]),
  )
})

it('the network of connectors resolves the host names of engines to their addresses, and no other network does', () => {
  const zone = assembly.one('AWS::Route53::HostedZone', 'EnginePeering')
  const [seenFrom] = zone.Properties['VPCs'] as unknown as { VPCId: never }[]

  expect(zone.Properties['Name']).toBe('fs1.example.internal.')
  expect(zone.Properties['VPCs']).toHaveLength(1)
  expect(assembly.resolve(zone.stack, seenFrom?.VPCId ?? null)).toBe(`${vpc.stack.name}/${vpc.id}`)
  expect(assembly.one('AWS::Route53::RecordSet', 'EnginePeering').Properties).toMatchObject({
    Name: 'fs1.example.internal.',
    Type: 'A',
    TTL: '60',
    ResourceRecords: ['10.20.1.10'],
  })
})

it('connectors start after the routes to their engines exist', () => {
  const service = assembly.one('AWS::ECS::Service', 'ConnectorService')

  for (const { id } of [peering, ...routesBy(assembly), assembly.one('AWS::Route53::RecordSet', 'EnginePeering')]) {
    expect(service.DependsOn).toContain(id)
  }
})

it('a deployment without the setting has no peering with another network', () => {
  const { assembly: usual } = usualApp()

  expect(usual.ofType('AWS::EC2::VPCPeeringConnection')).toEqual([])
  expect(routesBy(usual)).toEqual([])
  expect(usual.ofType('AWS::Route53::HostedZone')).toEqual([])
})
