/** Every service at one address, which answers at once: an item, a message that was taken, an object's head. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { addressOf, listen } from '../../packages/laptop/processes/listen.ts'

const attributes = ['username', 'domain', 'role', 'passwordHash', 'credentialsId', 'createdAt', 'language', 'timezone']
const Item = Object.fromEntries(attributes.map((name) => [name, { S: `a value of ${name}` }]))

/** The store knows one item and no token. */
function answerTo(target: string | undefined, body: string): object {
  if (target?.endsWith('.GetItem')) return body.includes('bench-item') ? { Item } : {}
  if (target?.endsWith('.SendMessage')) return { MessageId: 'bench', MD5OfMessageBody: 'bench' }
  return {}
}

let answered = 0

const server = createServer((request, response) => {
  void text(request).then((body) => {
    answered += 1
    if (request.method === 'HEAD') return response.writeHead(200, { 'content-length': 5 }).end()
    const answer = JSON.stringify(answerTo(request.headers['x-amz-target']?.toString(), body))
    return response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(answer)
  })
})
await listen(server, { host: '127.0.0.1', port: 0 })
process.send?.({ url: `http://${addressOf(server)}` })
// The benchmark asks how many calls arrived, so that a bundle that makes none is noticed.
process.on('message', () => process.send?.({ answered }))
