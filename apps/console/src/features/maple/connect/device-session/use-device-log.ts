import type { DeviceCommand } from '@grove/contract/maple/connect/device-command'
import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'
import type { DeviceSession } from '@grove/contract/maple/connect/device-session'
import type { DeviceTwin } from '@grove/contract/maple/connect/device-twin'
import { useEffect, useState } from 'react'
import { refreshCommands, storeTwin } from '../device-work/device-work.api.ts'
import type { StreamEvent } from '../../base/live/event-stream.ts'
import { follow, type Connection } from '../../base/live/follow.ts'
import { createLiveLog } from '../../base/live/live-log.ts'
import { messagesBefore, openDeviceStream, storeDeviceSession } from './device-session.api.ts'
import { logged, type LoggedMessage } from './logged-message.ts'

/** A payload that a device handler has finished with. */
type Done = Pick<DeviceMessage, 'id' | 'decoding'>

/** The messages of a session, updated while the device is connected. */
export function useDeviceLog({ id }: Pick<DeviceSession, 'id'>) {
  const [log] = useState(() => createLiveLog<LoggedMessage>())
  const [connection, setConnection] = useState<Connection>({ status: 'connecting' })
  const [hasEarlier, setEarlier] = useState(false)

  useEffect(() => {
    const abort = new AbortController()
    const take = (events: StreamEvent[]) => {
      const found: LoggedMessage[] = []
      const done: Done[] = []
      let hasCommand = false
      for (const { event, data } of events) {
        if (event === 'message') found.push(logged(JSON.parse(data) as DeviceMessage))
        else if (event === 'decoding') done.push(JSON.parse(data) as Done)
        else if (event === 'session') storeDeviceSession(JSON.parse(data) as DeviceSession)
        else if (event === 'twin') storeTwin(JSON.parse(data) as DeviceTwin)
        else if (event === 'command') hasCommand = (JSON.parse(data) as DeviceCommand).id !== ''
      }
      if (found.length > 0) log.append(found)
      // After the messages, which arrive first.
      for (const { id: seq, decoding } of done) log.change(seq, (item) => ({ ...item, decoding }))
      if (hasCommand) void refreshCommands()
      return events.some(({ event }) => event === 'end')
    }
    const start = async () => {
      // Newest first: a session may have millions.
      if (log.all().length === 0) {
        const newest = await messagesBefore(id).catch(() => [])
        if (abort.signal.aborted) return
        log.append(newest.map(logged))
        setEarlier(newest.length > 0)
      }
      await follow({
        open: (after, signal) =>
          openDeviceStream(id, { after, waiting: firstWaiting(log.all()) }, signal),
        onEvents: take,
        onConnection: setConnection,
        signal: abort.signal,
        after: String(log.all().at(-1)?.seq ?? ''),
        wake: globalThis,
      })
    }
    void start()
    return () => abort.abort()
  }, [id, log])

  return {
    log,
    connection,
    hasEarlier,
    loadEarlier: async () => {
      const earlier = await messagesBefore(id, log.all()[0]?.seq)
      log.prepend(earlier.map(logged))
      setEarlier(earlier.length > 0)
    },
  }
}

const firstWaiting = (all: readonly LoggedMessage[]) =>
  all.find(({ decoding }) => decoding?.state === 'waiting')?.id
