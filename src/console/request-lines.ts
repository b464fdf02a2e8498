/** The requests of a run in brief. They are kept, and after each change only the new ones are requested. */
import { useEffect, useRef, useState } from 'preact/hooks'

import type { RequestLine, RequestLines } from '../control/page-types.js'
import { addQuery, ask } from './api.js'
import { version } from './live.js'

/** The most requests of a run that the page keeps. */
const maxLines = 5000

interface LinesOfRun extends RequestLines {
  readonly run: string
}

const noLines: RequestLines = { lines: [], matched: 0, total: 0, evicted: 0 }

/** @returns The requests, newest first, and the error of the last attempt to get them. */
export function useRequestLines(run: string): readonly [lines: RequestLines, error: unknown] {
  const [lines, setLines] = useState<LinesOfRun>()
  const [error, setError] = useState<unknown>()
  const current = useRef<LinesOfRun | undefined>(undefined)
  const changes = version.value
  useEffect(() => {
    let isWanted = true
    const update = async (): Promise<void> => {
      const next = await load(current.current?.run === run ? current.current : undefined, run)
      if (!isWanted) return
      current.current = next
      setLines(next)
      setError(undefined)
    }
    update().catch((refusal: unknown) => isWanted && setError(refusal))
    return () => void (isWanted = false)
  }, [run, changes])
  return [lines?.run === run ? lines : noLines, error]
}

async function load(known: LinesOfRun | undefined, run: string): Promise<LinesOfRun> {
  const after = known?.lines[0]?.id
  const next = await ask<RequestLines>(addQuery('request-lines', { after, limit: maxLines }), { run })
  if (!known || after === undefined) return { ...next, run }
  // Fewer than before: the journal was cleared.
  if (next.total + next.evicted < known.total + known.evicted) return load(undefined, run)
  return { ...next, run, lines: withoutDropped([...next.lines, ...known.lines], next.total) }
}

/** Leaves out the oldest lines, which the journal has dropped. It drops those with violations last. */
function withoutDropped(lines: readonly RequestLine[], total: number): readonly RequestLine[] {
  let excess = lines.length - total
  if (excess <= 0) return lines
  return lines
    .toReversed()
    .filter(({ verdict }) => verdict === 'violation' || excess-- <= 0)
    .toReversed()
}
