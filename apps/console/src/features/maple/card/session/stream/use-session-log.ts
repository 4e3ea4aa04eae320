import type { ElementSession, Exchange } from '@grove/contract/maple/card/session'
import { useEffect, useState } from 'react'
import type { StreamEvent } from '../../../base/live/event-stream.ts'
import { follow, type Connection } from '../../../base/live/follow.ts'
import { createLiveLog } from '../../../base/live/live-log.ts'
import { openStream, storeSession } from '../session.api.ts'

const isWrong = ({ isFailed, outcome }: Exchange) => isFailed || outcome === 'unknown'

/** The log shows for itself whether a command is waiting; a session only does when refetched. */
const settled = (session: ElementSession): ElementSession =>
  session.state === 'waiting' ? { ...session, state: 'active' } : session

/** The number of past exchanges loaded at a time; earlier ones on request. */
export const maxAtOnce = 10_000

/** The log of a session, updated while someone works in it. */
export function useSessionLog(session: ElementSession) {
  const { id, exchanges } = session
  const [log] = useState(() => createLiveLog<Exchange>())
  const [first] = useState(() => Math.max(0, exchanges - maxAtOnce))
  const [connection, setConnection] = useState<Connection>({ status: 'connecting' })
  const [waiting, setWaiting] = useState<Exchange>()
  const [firstError, setFirstError] = useState(session.firstError ?? undefined)

  useEffect(() => {
    const abort = new AbortController()
    // Setting a state to its current value may still rerender the log once.
    let hasError = false
    let isWaiting = true
    const take = (events: StreamEvent[]) => {
      const found: Exchange[] = []
      for (const { event, data } of events) {
        if (event === 'exchange') found.push(JSON.parse(data) as Exchange)
        else if (event === 'session') storeSession(settled(JSON.parse(data) as ElementSession))
        else if (event === 'waiting') {
          isWaiting = true
          setWaiting(JSON.parse(data) as Exchange)
        }
      }
      if (found.length > 0) {
        log.append(found)
        const wrong = found.find(isWrong)?.seq
        if (wrong !== undefined && !hasError) {
          hasError = true
          setFirstError((known) => known ?? wrong)
        }
        if (isWaiting) setWaiting(undefined)
        isWaiting = false
      }
      return events.some(({ event }) => event === 'end')
    }
    void follow({
      open: (after, signal) => openStream(id, after, signal),
      onEvents: take,
      onConnection: setConnection,
      signal: abort.signal,
      after: String(log.all().at(-1)?.seq ?? first),
      wake: globalThis,
    })
    return () => abort.abort()
  }, [id, first, log])

  return { log, connection, waiting, firstError }
}
