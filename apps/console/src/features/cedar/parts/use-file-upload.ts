import { useEffect, useRef, useState } from 'react'
import { isAbort } from '../../../api/problem.ts'
import { withSample, type Sample } from './transfer-rate.ts'

export interface Transfer {
  signal: AbortSignal
  onProgress: (loaded: number, total: number) => void
}

export type UploadState =
  | { status: 'idle' }
  /** `loaded` reaches `total` once everything is sent and only the service's answer is missing. */
  | { status: 'sending'; file: File; loaded: number; total: number; samples: Sample[] }
  | { status: 'failed'; file: File; loaded: number; error: unknown }

/** The file changed or disappeared from the disk after it was chosen. */
export class FileUnreadable extends Error {
  override readonly name = 'FileUnreadable'
}

const idle: UploadState = { status: 'idle' }

/** One upload at a time, which can be cancelled, or retried with the same file. */
export function useFileUpload<Answer>(
  send: (file: File, transfer: Transfer) => Promise<Answer>,
  onSent: (answer: Answer) => void,
) {
  const [state, setState] = useState<UploadState>(idle)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const start = async (file: File) => {
    if (running.current) return
    const controller = new AbortController()
    running.current = controller
    let loaded = 0
    let samples = withSample([], { at: Date.now(), loaded })
    setState({ status: 'sending', file, loaded, total: file.size, samples })
    try {
      await assertReadable(file)
      const answer = await send(file, {
        signal: controller.signal,
        onProgress: (sent, total) => {
          loaded = sent
          samples = withSample(samples, { at: Date.now(), loaded })
          setState({ status: 'sending', file, loaded, total, samples })
        },
      })
      setState(idle)
      onSent(answer)
    } catch (error) {
      const isCancelled = controller.signal.aborted || isAbort(error)
      setState(isCancelled ? idle : { status: 'failed', file, loaded, error })
    } finally {
      running.current = undefined
    }
  }

  return {
    state,
    start: (file: File) => void start(file),
    cancel: () => running.current?.abort(),
    dismiss: () => setState(idle),
  }
}

/** Browsers report a file that they can no longer read as a plain network error. */
async function assertReadable(file: File) {
  try {
    await file.slice(0, 1).arrayBuffer()
  } catch {
    throw new FileUnreadable(file.name)
  }
}
