/** The stream that a start reports to. */
interface ProgressStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Shows how far a start is. */
export interface StartProgress {
  /** Begins the next stage. */
  stage(line: string): void
  /** Ends the last stage. */
  end(): void
}

const tickMs = 1000
const restart = '\r\u001b[2K'

/**
 * Shows each stage of a start: on a terminal with the seconds since the start began, counting on; elsewhere as one
 * line. Nothing else may write to a terminal before the end, except whole lines.
 */
export function startProgress(stream: ProgressStream, startedAt: number, now = Date.now): StartProgress {
  const write = stream.write.bind(stream)
  const seconds = () => Math.round((now() - startedAt) / 1000)
  let current: string | undefined
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    clearInterval(timer)
    if (current !== undefined) write(`${restart}${current} … ${seconds()} s\n`)
    current = undefined
  }
  return {
    stage(line) {
      if (stream.isTTY !== true) return void write(`${line} …\n`)
      end()
      current = line
      const show = () => write(`${restart}${line} … ${seconds()} s`)
      show()
      timer = setInterval(show, tickMs)
      timer.unref()
    },
    end,
  }
}
