/** Set up before every test file: a test of one of the first 31 faults fails unless it checks all invariants. */
import { afterEach, expect } from 'vitest'
import { wasWhollyChecked } from './invariants.ts'

/** The number begins the title of the test, or of a group that it is in. */
const judged = /(?:^|> )F(?:0[1-9]|[12]\d|3[01]) /

afterEach(({ task }) => {
  const name = expect.getState().currentTestName ?? ''
  if (!judged.test(name) || task.result?.state === 'fail') return
  expect(wasWhollyChecked(name), 'it ends with checkAllInvariants').toBe(true)
})
