import { expect, it } from 'vitest'
import { runPreparations } from '../../../local/platform/run-preparations.ts'

const arn = 'arn:aws:lambda:us-east-1:000000000000:function:Prepare'
const aFunction = {
  name: 'Prepare',
  arn,
  roleArn: '',
  directory: '',
  handler: 'index.handler',
  environment: {},
  timeoutSeconds: 1,
  memoryMb: 1,
}
const assembly = { preparations: [{ functionArn: arn }], functions: [aFunction] }

it('the function of every preparation is called, and its notes are returned', async () => {
  const called: unknown[] = []
  const host = {
    invoke: async (...call: unknown[]) => {
      called.push(call)
      return { notes: ['nothing is ever removed'] }
    },
  }

  expect(await runPreparations(assembly, host)).toEqual(['nothing is ever removed'])
  expect(called).toEqual([['Prepare', {}]])
})

it('a store that cannot be prepared ends the start with a sentence that names the reason', async () => {
  const host = { invoke: () => Promise.reject(new Error('the search store does not answer, try again')) }

  await expect(runPreparations(assembly, host)).rejects.toMatchObject({
    name: 'PlainError',
    message: 'a store could not be made ready (Prepare): the search store does not answer, try again',
  })
})
