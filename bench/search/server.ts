/** The embedded search server and its gate, in a process of its own. Sends its address and a credential for it. */
import { laptop } from '../../packages/laptop/assembly/place.ts'
import { type Backend, errorAnswer } from '../../packages/laptop/gate/backend.ts'
import { Gate } from '../../packages/laptop/gate/gate.ts'
import { startEmbeddedSearch } from '../../local/stores/search/search-store.ts'

const file = process.argv[2] ?? ':memory:'
const domainArn = `arn:aws:es:${laptop.region}:${laptop.account}:domain/bench`
const role = {
  name: 'Bench',
  arn: `arn:aws:iam::${laptop.account}:role/Bench`,
  statements: [
    {
      effect: 'Allow' as const,
      actions: ['es:ESHttp*'],
      exceptActions: false,
      resources: [`${domainArn}/*`],
      exceptResources: false,
      conditions: {},
    },
  ],
}

const none: Backend = () => Promise.resolve(errorAnswer('UnknownOperationException', 'there is only a search store'))
const gate = new Gate()
const url = await gate.open()
const store = await startEmbeddedSearch(file)
gate.serve({ ...laptop, publicUrl: url, storesUrl: url }, [role], {
  dynamodb: none,
  sqs: none,
  secretsmanager: none,
  kms: none,
  s3: (_call, response) => Promise.resolve(void response.end()),
  es: { domainArn, answer: (request) => store.answer(request) },
})
process.on('message', () => process.send?.({ memoryMb: process.memoryUsage().rss / 1024 / 1024 }))
process.send?.({ url, credential: gate.issue(role.arn) })
