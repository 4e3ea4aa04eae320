import { useEffect, useRef, useState } from 'react'

export interface QueuedFile {
  id: number
  file: File
  status: 'waiting' | 'sending' | 'failed'
  loaded: number
  total: number
  error?: unknown
}

interface Transfer {
  signal: AbortSignal
  onProgress: (loaded: number, total: number) => void
}

let lastId = 0

/** Uploads files one at a time, in the order in which they were chosen. */
export function useUploadQueue(send: (file: File, transfer: Transfer) => Promise<void>) {
  const [queue, setQueue] = useState<readonly QueuedFile[]>([])
  const running = useRef<{ id: number; controller: AbortController }>(undefined)
  useEffect(() => () => running.current?.controller.abort(), [])

  const change = (id: number, changed: Partial<QueuedFile>) =>
    setQueue((now) => now.map((item) => (item.id === id ? { ...item, ...changed } : item)))
  const leave = (id: number) => setQueue((now) => now.filter((item) => item.id !== id))

  const run = async ({ id, file }: QueuedFile) => {
    const controller = new AbortController()
    running.current = { id, controller }
    change(id, { status: 'sending' })
    try {
      await send(file, {
        signal: controller.signal,
        onProgress: (loaded, total) => change(id, { loaded, total }),
      })
      leave(id)
    } catch (error) {
      if (controller.signal.aborted) leave(id)
      else change(id, { status: 'failed', error })
    } finally {
      running.current = undefined
      // A new array makes the effect look for the next one.
      setQueue((now) => [...now])
    }
  }

  useEffect(() => {
    const next = queue.find(({ status }) => status === 'waiting')
    if (next && !running.current) void run(next)
  })

  return {
    queue,
    isBusy: queue.some(({ status }) => status !== 'failed'),
    add: (files: readonly File[]) =>
      setQueue((now) => [
        ...now,
        ...files.map((file): QueuedFile => {
          lastId += 1
          return { id: lastId, file, status: 'waiting', loaded: 0, total: file.size }
        }),
      ]),
    retry: (id: number) => change(id, { status: 'waiting', loaded: 0, error: undefined }),
    remove: (id: number) => {
      if (running.current?.id === id) running.current.controller.abort()
      else leave(id)
    },
  }
}
