import type { Preview } from '@grove/contract/cedar/preview'
import type { PreviewScheme } from '@grove/contract/cedar/preview.rules'
import { useEffect, useRef, useState } from 'react'
import type { Locale } from '../../../ui/i18n/locale.ts'
import { listenToFrame, type Answer } from './preview-channel.ts'
import { createLog, emptyLog, type Log } from './preview-log.ts'

export type RunState = 'starting' | 'running' | 'silent' | 'flooded' | 'stopped'

/** What a run of the mini-app depends on: changing any of it restarts the app. */
export interface Run {
  /** Counts the runs; at most six digits. */
  id: number
  address: string
  startPage: string
  scheme: PreviewScheme
  locale: Locale
}

export const addressOf = (
  { address, startPage }: Pick<Preview, 'address' | 'startPage'>,
  scheme: PreviewScheme,
) => `${address}${scheme}/${startPage}`

/**
 * The same preview under a host name of this run alone: an app that hangs keeps its process, and a
 * new name gets a new one. If all previews share one name, there is nothing to change.
 */
export const atRun = (address: string, id: number) =>
  address.replace(/\/\/(?=v[\da-f]{32}\.)/, `//r${id}-`)

const tokenOf = (address: string) => new URL(address).pathname.split('/')[2] ?? ''

// Often enough to read along, seldom enough to survive a flood of lines.
const showMs = 250

/** One run of a mini-app in a frame: its output, its state, and the answers it gets. */
export function usePreviewRun(run: Run, current: Preview, permissions: Record<string, Answer>) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [status, setStatus] = useState<{ run: Run; state: RunState }>({ run, state: 'starting' })
  const state = status.run === run ? status.state : 'starting'
  const [log, setLog] = useState<Log>(emptyLog)
  const [isOffline, setOffline] = useState(false)
  const [lines] = useState(createLog)
  const live = useRef({ isOffline, permissions })
  useEffect(() => {
    live.current = { isOffline, permissions }
  })
  const channel = useRef<ReturnType<typeof listenToFrame>>(undefined)
  const tokens = useRef(new Set<string>())

  useEffect(() => {
    const say = (state: RunState) => setStatus({ run, state })
    lines.clear()
    tokens.current = new Set([tokenOf(run.address)])
    const opened = listenToFrame({
      frame: () => frame.current?.contentWindow,
      tokens: tokens.current,
      isOffline: () => live.current.isOffline,
      onState: say,
      onLines: lines.add,
      onAsk: (name) => live.current.permissions[name] ?? 'undeclared',
      onFlood: () => say('flooded'),
    })
    channel.current = opened
    return opened.close
  }, [run, lines])

  // A new URL serves what the running pages load from now on.
  useEffect(() => {
    if (current.address === run.address) return
    tokens.current.add(tokenOf(current.address))
    channel.current?.renew(atRun(current.address, run.id))
  }, [current.address, run])

  useEffect(() => {
    const timer = setInterval(() => setLog(lines.current()), showMs)
    return () => clearInterval(timer)
  }, [lines])

  return {
    frame,
    state,
    log,
    isOffline,
    stop: () => {
      channel.current?.close()
      setStatus({ run, state: 'stopped' })
    },
    clearLog: () => {
      lines.clear()
      setLog(emptyLog)
    },
    switchOffline: (value: boolean) => {
      setOffline(value)
      channel.current?.setOffline(value)
    },
  }
}
