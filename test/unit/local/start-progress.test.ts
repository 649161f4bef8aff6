import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startProgress } from '../../../local/platform/start-progress.ts'

beforeEach(() => void vi.useFakeTimers({ now: 5_000 }))
afterEach(() => void vi.useRealTimers())

function aStream(isTTY: boolean) {
  const written: string[] = []
  return { written, stream: { isTTY, write: (text: string) => written.push(text) } }
}

it('on a terminal a stage counts the seconds since the start began, and its last count stays', () => {
  const { stream, written } = aStream(true)
  const progress = startProgress(stream, 1_000)

  progress.stage('bundling')
  vi.advanceTimersByTime(2_000)
  progress.stage('starting')
  progress.end()

  expect(written.map((text) => text.replace('\r\u001b[2K', ''))).toEqual([
    'bundling … 4 s',
    'bundling … 5 s',
    'bundling … 6 s',
    'bundling … 6 s\n',
    'starting … 6 s',
    'starting … 6 s\n',
  ])
  expect(vi.getTimerCount()).toBe(0)
})

it('in a pipe a stage is one line', () => {
  const { stream, written } = aStream(false)
  const progress = startProgress(stream, 1_000)

  progress.stage('bundling')
  progress.end()

  expect(written).toEqual(['bundling …\n'])
  expect(vi.getTimerCount()).toBe(0)
})
